// SPDX-License-Identifier: BSD-2-Clause
// The settings of a view: plain values that are never changed in place, so that undo can keep them.

export const EFFECTS = ['smooth', 'grey', 'tint', 'transparent', 'recolour'];
export const DEFAULT_PRESET = 'subtle';
const MIN_SELECTING = 3;

/** preset: a name or 'none'. options: those that the user has set, by their names in the library.
 * strokes: [{mark: 'keep' | 'smooth' | 'erase', radius, points: [[x, y], ...]}] in pixels of the
 * full image. region: {x, y, width, height} or null. model: {name, model} or null. */
export function initialSettings() {
    return { preset: DEFAULT_PRESET, options: {}, strokes: [], effect: 'smooth', colour: '#2060c0',
        region: null, model: null };
}

/** Settings for another image: strokes and region belong to the one before. */
export function forAnotherImage(settings) {
    return { ...settings, strokes: [], region: null };
}

/** Whether something is marked as the object. */
export function hasSelection(settings) {
    return settings.strokes.some((stroke) => stroke.mark === 'keep');
}

/** How many of the strokes select together: three, or more until there are both kinds. Each later
 * stroke corrects what those before it have selected. */
export function selectingCount(strokes) {
    const found = { keep: 0, smooth: 0, erase: 0 };
    for (const [i, { mark }] of strokes.entries()) {
        if (found.keep && found.smooth && found.keep + found.smooth >= MIN_SELECTING)
            return i;
        found[mark]++;
    }
    return strokes.length;
}

/** The options for the library, preset included. Without one, a size has no meaning. */
export function givenOptions({ preset, options }) {
    return preset === 'none' ? { ...options, size: undefined } : { preset, ...options };
}

/** Settings with another preset; of the options, the size remains. */
export function withPreset(settings, preset) {
    return withOption({ ...settings, preset, options: {} }, 'size', settings.options.size);
}

/** Settings with one option set, or removed if the value is undefined. */
export function withOption(settings, name, value) {
    const options = { ...settings.options };
    delete options[name];
    if (value !== undefined)
        options[name] = value;
    return { ...settings, options };
}

function distance2(p, q) {
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2;
}

function distance2ToSegment(p, a, b) {
    const length2 = distance2(a, b);
    const t = length2 && ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / length2;
    const s = Math.min(1, Math.max(0, t));
    return distance2(p, [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
}

function cross(o, a, b) {
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

function segmentsCross(a, b, c, d) {
    return cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0;
}

function segments({ points }) {
    return points.length === 1 ? [[points[0], points[0]]]
        : points.slice(1).map((point, i) => [points[i], point]);
}

/* The middle of a stroke's pixels may be half a pixel off the line. */
function touch(one, other) {
    const reach2 = (one.radius + other.radius + 2) ** 2;
    return segments(one).some(([a, b]) => segments(other).some(([c, d]) =>
        segmentsCross(a, b, c, d) || Math.min(distance2ToSegment(a, c, d),
            distance2ToSegment(b, c, d), distance2ToSegment(c, a, b),
            distance2ToSegment(d, a, b)) <= reach2));
}

/** Whether the strokes can be given to the command as they are: there, none may be erased, and
 * those of the object and of the background must not overlap. */
export function strokesAreSimple(strokes) {
    const keep = strokes.filter((stroke) => stroke.mark === 'keep');
    const smooth = strokes.filter((stroke) => stroke.mark === 'smooth');
    return keep.length + smooth.length === strokes.length &&
        !keep.some((one) => smooth.some((other) => touch(one, other)));
}

/** Leaves out points that hardly change a line. */
export function simplified(points, tolerance) {
    if (points.length < 3)
        return points;
    const first = points[0], last = points[points.length - 1];
    let worst = 0, at = 0;
    for (let i = 1; i < points.length - 1; i++) {
        const off = distance2ToSegment(points[i], first, last);
        if (off > worst)
            [worst, at] = [off, i];
    }
    if (worst <= tolerance ** 2)
        return [first, last];
    return simplified(points.slice(0, at + 1), tolerance).slice(0, -1)
        .concat(simplified(points.slice(at), tolerance));
}

/** Whether a rectangle of whole pixels lies inside an image. */
export function isInside({ x, y, width, height }, image) {
    return [x, y, width, height].every(Number.isInteger) && x >= 0 && y >= 0 && width > 0 &&
        height > 0 && x + width <= image.width && y + height <= image.height;
}
