/** What scenes of the demo's loops are drawn with: pieces of SVG, and movements that end where they began. */
export const WIDTH = 640;
export const HEIGHT = 360;

const TURN = 2 * Math.PI;
/** A wave that ends where it began: `cycles` whole turns in the loop. */
export const wave = (t, cycles = 1, phase = 0) => Math.sin(TURN * (cycles * t + phase));
export const round = (value) => Math.round(value * 100) / 100;
/** Repeatable scatter in 0–1 for the i-th thing of a scene. */
export const scatter = (i, salt = 0) => {
  const value = Math.sin((i + 1) * 127.1 + (salt + 1) * 311.7) * 43758.5453;
  return value - Math.floor(value);
};
export const each = (count, draw) => Array.from({ length: count }, (_, i) => draw(i)).join('');
export const stops = (...colours) =>
  colours.map((colour, i) => `<stop offset="${round(i / (colours.length - 1))}" stop-color="${colour}"/>`)
    .join('');
export const down = (id, ...colours) =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="0"
  y2="1">${stops(...colours)}</linearGradient>`;
export const glow = (id, colour, strength = 1) =>
  `<radialGradient id="${id}"><stop offset="0"
  stop-color="${colour}"
  stop-opacity="${round(strength)}"/><stop offset="1" stop-color="${colour}"
    stop-opacity="0"/></radialGradient>`;
export const blur = (id, deviation) =>
  `<filter id="${id}" x="-50%" y="-50%" width="200%" height="200%">
  <feGaussianBlur stdDeviation="${deviation}"/></filter>`;
export const disc = (x, y, r, fill, more = '') =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="${fill}" ${more}/>`;
export const backdrop = (fill) => `<rect width="${WIDTH}" height="${HEIGHT}" fill="${fill}"/>`;
export const path = (d, fill, more = '') => `<path d="${d}" fill="${fill}" ${more}/>`;

/** A band whose upper edge undulates, closed at the bottom of the picture. */
export function swell(t, y, height, cycles, phase, drift) {
  const points = Array.from({ length: 33 }, (_, i) => {
    const x = (i / 32) * WIDTH;
    const lift = Math.sin(TURN * (cycles * i / 32 + phase + drift * t)) + 0.4 * wave(t, 1, phase + i / 20);
    return `${round(x)},${round(y + height * lift)}`;
  });
  return `M0,${HEIGHT} L${points.join(' L')} L${WIDTH},${HEIGHT} Z`;
}

/** Hair tied up in a knot, with earrings that catch the light. */
export const KNOT = `<circle cx="4" cy="-80" r="22"/>
  <circle cx="-39" cy="2" r="3" fill="#ffe9c4"/><circle cx="39" cy="2" r="3" fill="#ffe9c4"/>`;
export const HEADPHONES = `<path d="M-40,-24 A41,50 0 0 1 40,-24" fill="none" stroke="#46e0ff"
  stroke-width="5"/>
  <rect x="-49" y="-38" width="15" height="36" rx="7" fill="#46e0ff"/>
  <rect x="34" y="-38" width="15" height="36" rx="7" fill="#46e0ff"/>`;

/** Head, neck and shoulders against the light. */
export function bust(t, x, y, size, worn) {
  const sway = 6 * wave(t, 1) + 2 * wave(t, 3, 0.2);
  const breath = round(1 + 0.012 * wave(t, 3));
  const tilt = round(3 * wave(t, 1, 0.1));
  return `<g transform="translate(${round(x + sway)} ${y}) scale(${size})">
    <path d="M-19,0 C-18,26 -20,38 -30,46 C-66,60 -112,66 -124,220 L124,220 C112,66 66,60 30,46
      C20,38 18,26 19,0 Z" transform="scale(${breath} 1)"/>
    <g transform="rotate(${tilt} 0 20)"><ellipse cx="0" cy="-22" rx="37" ry="46"/>${worn}</g></g>`;
}
