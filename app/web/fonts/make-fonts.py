"""Makes the fonts of this folder and hangul.css from Noto Sans CJK (Debian: fonts-noto-cjk). Needs fonttools and brotli:
python3 make-fonts.py /usr/share/fonts/opentype/noto

Each weight has two files: `pages` has the syllables of the pages and games, `names` the rest of the 2,350 syllables
of KS X 1001 and the letters, for names. A browser loads a file when it shows a letter that no earlier one has."""
import pathlib
import re
import sys

from fontTools import subset

HERE = pathlib.Path(__file__).resolve().parent
APP = HERE.parent.parent
KOREAN = 1  # index in the collection
WEIGHTS = {400: 'NotoSansCJK-Regular.ttc', 700: 'NotoSansCJK-Bold.ttc'}
# Systems with a font of their own do not load the files.
LOCAL = {
    400: ['Noto Sans CJK KR Regular', 'Noto Sans CJK KR', 'NotoSansKR-Regular', 'AppleSDGothicNeo-Regular', 'Malgun Gothic'],
    700: ['Noto Sans CJK KR Bold', 'NotoSansKR-Bold', 'AppleSDGothicNeo-Bold', 'Malgun Gothic Bold'],
}


def is_hangul(letter):
    return '\uac00' <= letter <= '\ud7a3'


def used():
    """Returns the syllables in the texts of the pages and games."""
    files = [*(APP / 'web/languages').rglob('*.js'), *(APP / 'games').glob('*.js')]
    return {letter for file in files for letter in file.read_text() if is_hangul(letter)}


def common():
    """Returns the syllables of KS X 1001 and the Hangul letters."""
    pairs = (bytes([row, cell]) for row in range(0xB0, 0xC9) for cell in range(0xA1, 0xFF))
    syllables = {pair.decode('euc_kr', 'ignore') for pair in pairs}
    return {letter for letter in syllables if is_hangul(letter)} | {chr(code) for code in range(0x3131, 0x318F)}


def write(letters, collection, target):
    options = subset.Options(
        flavor='woff2', font_number=KOREAN, layout_features=[], hinting=False, name_IDs=[0, 13, 14], notdef_outline=True
    )
    font = subset.load_font(str(collection), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[ord(letter) for letter in letters])
    subsetter.subset(font)
    subset.save_font(font, str(target), options)


def face(name, weight):
    # A font of the system lacks nothing, so the other face has none.
    local = LOCAL[weight] if name == 'pages' else []
    sources = [f"local('{font}')" for font in local] + [f"url('/fonts/{name}-{weight}.woff2') format('woff2')"]
    return f"""@font-face {{
  font-family: 'pitv Hangul';
  font-weight: {weight};
  font-display: block;
  src: {', '.join(sources)};
  unicode-range: U+ac00-d7a3, U+3131-318e;
}}
"""


def main(folder):
    pages = used()
    names = common() - pages
    css = ['/* Made by make-fonts.py. A browser asks the later face of a weight first, and loads the other for what it lacks. */\n']
    for weight, file in WEIGHTS.items():
        for name, letters in (('names', names), ('pages', pages)):
            write(letters, pathlib.Path(folder) / file, HERE / f'{name}-{weight}.woff2')
            css.append(face(name, weight))
    (HERE / 'hangul.css').write_text(re.sub(r'\n{3,}', '\n\n', '\n'.join(css)))


main(sys.argv[1])
