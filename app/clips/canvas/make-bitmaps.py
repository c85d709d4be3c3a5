"""Extracts the bitmaps of letters that are not in glyphs.txt (Chinese, Japanese, Korean and other scripts, symbols,
emoji) from GNU Unifont (Debian: fonts-unifont, python3-pil, brotli), in Unifont's .hex format:
python3 make-bitmaps.py /usr/share/fonts/opentype/unifont glyphs.txt | brotli -q 11 > bitmaps.br"""
import sys
import unicodedata

from PIL import Image, ImageDraw, ImageFont

SIZE, ASCENT = 16, 14
# Left out: rare Han (extension A, compatibility), Yi and other rare scripts, private use.
RANGES = [
    ('unifont.otf', 0x00a0, 0x33ff),
    ('unifont.otf', 0x4e00, 0x9fff),
    ('unifont.otf', 0xac00, 0xd7a3),
    ('unifont.otf', 0xfb00, 0xfffd),
    ('unifont_upper.otf', 0x1f000, 0x1faff),
]
NOWHERE = chr(0x10ffff)
folder, outlines = sys.argv[1:]
known = {int(line.split()[0], 16) for line in open(outlines) if line[0] != '#'}


def bitmap(font, letter):
    left, _, right, _ = font.getbbox(letter, anchor='ls')
    # Marks are drawn over the previous letter, one or two cells to the left.
    shift = max(0, -left + 7) // 8 * 8 if unicodedata.category(letter)[0] == 'M' else 0
    width = 8 if max(font.getlength(letter), right + shift) <= 8 else 16
    image = Image.new('1', (width, SIZE))
    draw = ImageDraw.Draw(image)
    draw.fontmode = '1'
    draw.text((shift, ASCENT), letter, 1, font, anchor='ls')
    return image.tobytes().hex().upper()


for name, first, last in RANGES:
    font = ImageFont.truetype(f'{folder}/{name}', SIZE, layout_engine=ImageFont.Layout.BASIC)
    missing = bitmap(font, NOWHERE)
    for code in range(first, last + 1):
        if code in known:
            continue
        pixels = bitmap(font, chr(code))
        if pixels != missing and int(pixels, 16):
            print(f'{code:04X}:{pixels}')
