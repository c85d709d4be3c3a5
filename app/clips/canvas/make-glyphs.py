"""Extracts the outlines of letters from DejaVu Sans Bold (Debian: fonts-dejavu-core):
python3 make-glyphs.py /usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf > glyphs.txt"""
import struct
import sys

data = open(sys.argv[1], 'rb').read()
tables = {}
for i in range(struct.unpack_from('>H', data, 4)[0]):
    tag, _, offset, _ = struct.unpack_from('>4sLLL', data, 12 + i * 16)
    tables[tag.decode()] = offset
units = struct.unpack_from('>H', data, tables['head'] + 18)[0]
long_loca = struct.unpack_from('>h', data, tables['head'] + 50)[0]
ascent, descent = struct.unpack_from('>hh', data, tables['hhea'] + 4)
metrics = struct.unpack_from('>H', data, tables['hhea'] + 34)[0]


def character_map():
    base, found = tables['cmap'], {}
    for i in range(struct.unpack_from('>H', data, base + 2)[0]):
        platform, encoding, offset = struct.unpack_from('>HHL', data, base + 4 + i * 8)
        at = base + offset
        if (platform, encoding) != (3, 1) or struct.unpack_from('>H', data, at)[0] != 4:
            continue
        count = struct.unpack_from('>H', data, at + 6)[0] // 2
        ends = struct.unpack_from(f'>{count}H', data, at + 14)
        starts = struct.unpack_from(f'>{count}H', data, at + 16 + count * 2)
        deltas = struct.unpack_from(f'>{count}h', data, at + 16 + count * 4)
        ranges = at + 16 + count * 6
        for k in range(count):
            offset = struct.unpack_from('>H', data, ranges + k * 2)[0]
            for code in range(starts[k], min(ends[k], 0xfffe) + 1):
                if offset == 0:
                    glyph = (code + deltas[k]) & 0xffff
                else:
                    glyph = struct.unpack_from('>H', data, ranges + k * 2 + offset + (code - starts[k]) * 2)[0]
                    glyph = (glyph + deltas[k]) & 0xffff if glyph else 0
                found[code] = glyph
    return found


def location(glyph):
    if long_loca:
        return struct.unpack_from('>LL', data, tables['loca'] + glyph * 4)
    return tuple(2 * x for x in struct.unpack_from('>HH', data, tables['loca'] + glyph * 2))


def contours(glyph):
    """Returns the contours of a glyph as lists of (x, y, on the curve)."""
    begin, end = location(glyph)
    if begin == end:
        return []
    at = tables['glyf'] + begin
    count = struct.unpack_from('>h', data, at)[0]
    at += 10
    return simple(at, count) if count >= 0 else composite(at)


def composite(at):
    result, more = [], True
    while more:
        flags, glyph = struct.unpack_from('>HH', data, at)
        dx, dy = struct.unpack_from('>hh' if flags & 1 else '>bb', data, at + 4)
        at += 8 if flags & 1 else 6
        a, b, c, d = 1, 0, 0, 1
        if flags & 8:
            a = d = struct.unpack_from('>h', data, at)[0] / 16384
            at += 2
        elif flags & 0x40:
            a, d = (x / 16384 for x in struct.unpack_from('>hh', data, at))
            at += 4
        elif flags & 0x80:
            a, b, c, d = (x / 16384 for x in struct.unpack_from('>hhhh', data, at))
            at += 8
        for contour in contours(glyph):
            result.append([(a * x + c * y + dx, b * x + d * y + dy, on) for x, y, on in contour])
        more = flags & 0x20
    return result


def simple(at, count):
    ends = struct.unpack_from(f'>{count}H', data, at)
    at += count * 2
    at += 2 + struct.unpack_from('>H', data, at)[0]
    total, flags = (ends[-1] + 1 if count else 0), []
    while len(flags) < total:
        flag = data[at]
        at += 1
        flags.append(flag)
        if flag & 8:
            flags += [flag] * data[at]
            at += 1
    axes = []
    for short, same in ((2, 16), (4, 32)):
        value, values = 0, []
        for flag in flags:
            if flag & short:
                value += data[at] if flag & same else -data[at]
                at += 1
            elif not flag & same:
                value += struct.unpack_from('>h', data, at)[0]
                at += 2
            values.append(value)
        axes.append(values)
    result, first = [], 0
    for end in ends:
        result.append([(axes[0][i], axes[1][i], flags[i] & 1) for i in range(first, end + 1)])
        first = end + 1
    return result


def path(glyph):
    """Returns the outline as commands: M x y, L x y, Q control x y, Z; y points down from the baseline."""
    out = []
    for contour in contours(glyph):
        points = []
        for i, (x, y, on) in enumerate(contour):
            px, py, before = contour[i - 1]
            if not on and not before:
                points.append(((x + px) / 2, (y + py) / 2, 1))
            points.append((x, y, on))
        start = next((i for i, point in enumerate(points) if point[2]), None)
        if start is None:
            continue
        points = points[start:] + points[:start + 1]
        out.append('M%d %d' % (round(points[0][0]), round(-points[0][1])))
        control = None
        for x, y, on in points[1:]:
            if not on:
                control = (x, y)
            elif control:
                out.append('Q%d %d %d %d' % (round(control[0]), round(-control[1]), round(x), round(-y)))
                control = None
            else:
                out.append('L%d %d' % (round(x), round(-y)))
        out.append('Z')
    return ''.join(out)


wanted = [*range(0x20, 0x7f), *range(0xa0, 0x180), *range(0x386, 0x3cf), *range(0x400, 0x460)]
wanted += [0x2013, 0x2014, 0x2018, 0x2019, 0x201c, 0x201d, 0x2026, 0x20ac, 0x25a1, 0x25c9, 0x2605, 0x2665, 0x1e9e]
print('# Outlines of DejaVu Sans Bold 2.37, made by make-glyphs.py; see glyphs.LICENSE')
print(f'# units {units} ascent {ascent} descent {-descent}')
print('# code point, advance, outline')
glyphs = character_map()
for code in wanted:
    glyph = glyphs.get(code)
    if not glyph:
        continue
    advance = struct.unpack_from('>H', data, tables['hmtx'] + min(glyph, metrics - 1) * 4)[0]
    print(f'{code:04x} {advance} {path(glyph)}')
