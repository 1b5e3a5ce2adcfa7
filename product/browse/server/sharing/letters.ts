/**
 * Letters as strokes in a box of 4 by 6, so that a server needs no font to draw an image. Usernames use only
 * these; other characters of a site's name are left out.
 */
const STROKES: Readonly<Record<string, string>> = {
  a: 'M0 6L2 0L4 6M.8 4H3.2',
  b: 'M0 0V6H2.6Q4 6 4 4.5T2.6 3H0M2.4 3Q3.6 3 3.6 1.5T2.4 0H0',
  c: 'M4 1Q3.2 0 2 0Q0 0 0 3T2 6Q3.2 6 4 5',
  d: 'M0 0V6H1.8Q4 6 4 3T1.8 0Z',
  e: 'M4 0H0V6H4M0 3H3.2',
  f: 'M4 0H0V6M0 3H3.2',
  g: 'M4 1Q3.2 0 2 0Q0 0 0 3T2 6Q3.4 6 4 5V3.2H2.2',
  h: 'M0 0V6M4 0V6M0 3H4',
  i: 'M2 0V6M.8 0H3.2M.8 6H3.2',
  j: 'M3.4 0V4.4Q3.4 6 1.8 6T0 4.6',
  k: 'M0 0V6M4 0L0 3.6M1.3 2.6L4 6',
  l: 'M0 0V6H3.8',
  m: 'M0 6V0L2 3.2L4 0V6',
  n: 'M0 6V0L4 6V0',
  o: 'M2 0Q0 0 0 3T2 6Q4 6 4 3T2 0',
  p: 'M0 6V0H2.4Q4 0 4 1.7T2.4 3.4H0',
  q: 'M2 0Q0 0 0 3T2 6Q4 6 4 3T2 0M2.4 4.4L4 6',
  r: 'M0 6V0H2.4Q4 0 4 1.6T2.4 3.2H0M2 3.2L4 6',
  s: 'M3.8 .9Q3.2 0 2 0Q.2 0 .2 1.5T2 3Q4 3 4 4.5T2 6Q.6 6 0 5',
  t: 'M0 0H4M2 0V6',
  u: 'M0 0V4Q0 6 2 6T4 4V0',
  v: 'M0 0L2 6L4 0',
  w: 'M0 0L1 6L2 2.4L3 6L4 0',
  x: 'M0 0L4 6M4 0L0 6',
  y: 'M0 0L2 3L4 0M2 3V6',
  z: 'M0 0H4L0 6H4',
  0: 'M2 0Q0 0 0 3T2 6Q4 6 4 3T2 0M3.3 1.2L.7 4.8',
  1: 'M.8 1.2L2.2 0V6M.8 6H3.6',
  2: 'M.2 1.4Q.4 0 2 0T3.8 1.6Q3.8 2.8 0 6H4',
  3: 'M0 0H3.8L1.8 2.4Q4 2.4 4 4.2T1.9 6Q.6 6 0 5',
  4: 'M3 6V0L0 4.2H4',
  5: 'M3.8 0H.5L.2 2.8Q1 2.2 2 2.2Q4 2.2 4 4.1T2 6Q.6 6 0 5',
  6: 'M3.6 .6Q3 0 2.2 0Q0 0 0 3.6Q0 6 2 6T4 4.1T2 2.4Q.4 2.4 0 3.8',
  7: 'M0 0H4L1.4 6',
  8: 'M2 0Q.3 0 .3 1.5T2 3T3.7 1.5T2 0M2 3Q0 3 0 4.5T2 6T4 4.5T2 3',
  9: 'M.4 5.4Q1 6 1.8 6Q4 6 4 2.4Q4 0 2 0T0 1.9T2 3.6Q3.6 3.6 4 2.2',
  '-': 'M.8 3.2H3.2',
  _: 'M0 6H4',
  ' ': '',
};

const BOX_WIDTH = 4;
const GAP = 1.6;

/** Width of a text in units of the box. */
const widthOf = (letters: readonly string[]): number => Math.max(0, letters.length * (BOX_WIDTH + GAP) - GAP);

interface Line {
  readonly x: number;
  readonly y: number;
  /** Height of the letters in pixels; reduced where the text would exceed `maxWidth`. */
  readonly height: number;
  readonly maxWidth: number;
  readonly colour: string;
}

/** A text as SVG, in capitals. */
export function drawn(text: string, { x, y, height, maxWidth, colour }: Line): string {
  const letters = [...text.toLowerCase()].filter((letter) => Object.hasOwn(STROKES, letter));
  const scale = Math.min(height / 6, maxWidth / Math.max(1, widthOf(letters)));
  const paths = letters.map((letter, at) =>
    `<path transform="translate(${at * (BOX_WIDTH + GAP)} 0)" d="${STROKES[letter] || 'M0 0'}"/>`
  );
  return `<g transform="translate(${x} ${y}) scale(${scale.toFixed(3)})" fill="none" stroke="${colour}" `
    + `stroke-width=".72" stroke-linecap="round" stroke-linejoin="round">${paths.join('')}</g>`;
}
