import sharp from 'sharp';

/**
 * Synthetic portraits for the demo: a drawn figure in a lit room. The same seed gives the same image.
 * Nothing is a likeness of a real person, and nothing is explicit.
 */

const WIDTH = 640;
const HEIGHT = 480;
const WEBP_QUALITY = 72;

/** A seeded random generator (mulberry32), so that a name always gives the same portrait. */
export function seededRandom(seed: string): () => number {
  let state = [...seed].reduce(
    (hash, character) => Math.imul(hash ^ character.charCodeAt(0), 16777619),
    2166136261,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Palette {
  readonly wall: readonly [string, string];
  readonly glow: string;
  readonly cloth: readonly [string, string];
}

const PALETTES: readonly Palette[] = [
  { wall: ['#2b1440', '#0d0716'], glow: '#f841b5', cloth: ['#7b2d8e', '#3d1450'] },
  { wall: ['#0f2a44', '#06101c'], glow: '#05b0fa', cloth: ['#1f6d8f', '#0c3145'] },
  { wall: ['#43211a', '#160906'], glow: '#ff9d5c', cloth: ['#b3502f', '#571f11'] },
  { wall: ['#12352b', '#04120e'], glow: '#4be0a3', cloth: ['#1e7a5c', '#0a3628'] },
  { wall: ['#3d1430', '#14060f'], glow: '#ff6f91', cloth: ['#a3325a', '#4d132a'] },
  { wall: ['#232046', '#0a0918'], glow: '#9d8cff', cloth: ['#5147a8', '#231e52'] },
  { wall: ['#3a3014', '#130f05'], glow: '#ffd166', cloth: ['#93772b', '#463810'] },
  { wall: ['#2a2f36', '#0c0e11'], glow: '#c9d6e2', cloth: ['#586471', '#282f36'] },
];
const SKINS = [
  ['#f3cdb4', '#d39a7c'],
  ['#e6b08a', '#bd7c56'],
  ['#c98a5e', '#94592f'],
  ['#9c623c', '#693c1f'],
  ['#6e4429', '#432613'],
] as const;
const HAIRS = [
  '#1b1216',
  '#3a2318',
  '#6a3d1f',
  '#a8702f',
  '#d9b26a',
  '#7a1f2b',
  '#3b2a63',
  '#1f3f4a',
] as const;

const pick = <T>(random: () => number, list: readonly T[]): T => {
  const picked = list[Math.floor(random() * list.length)];
  if (picked === undefined) throw new Error('cannot pick from an empty list');
  return picked;
};

interface Figure {
  readonly x: number;
  readonly scale: number;
  readonly broad: boolean;
}

const HAIRCUTS: Readonly<Record<'long' | 'bob' | 'bun' | 'short', { back: string; front: string }>> = {
  long: {
    back: 'M-82 -40 C-92 -150 92 -150 82 -40 C98 60 92 130 70 168 L-70 168 C-92 130 -98 60 -82 -40Z',
    front: 'M-66 -52 C-58 -122 58 -122 66 -52 C40 -92 4 -84 -14 -90 C-34 -82 -58 -76 -66 -52Z',
  },
  bob: {
    back: 'M-80 -40 C-90 -148 90 -148 80 -40 C90 10 84 48 66 62 L-66 62 C-84 48 -90 10 -80 -40Z',
    front: 'M-66 -44 C-62 -124 62 -124 66 -44 C50 -74 20 -70 -4 -84 C-22 -70 -54 -74 -66 -44Z',
  },
  bun: {
    back: 'M-72 -44 C-82 -140 82 -140 72 -44 L60 0 L-60 0Z M-30 -128 a30 28 0 1 1 60 0 a30 28 0 1 1 -60 0Z',
    front: 'M-64 -50 C-54 -122 54 -122 64 -50 C36 -84 -36 -84 -64 -50Z',
  },
  short: {
    back: 'M-68 -46 C-80 -136 80 -136 68 -46 L60 -22 L-60 -22Z',
    front: 'M-64 -50 C-66 -126 50 -138 66 -54 C44 -88 10 -74 -18 -88 C-36 -84 -56 -74 -64 -50Z',
  },
};

function drawFigure(random: () => number, palette: Palette, figure: Figure, id: string): string {
  const [skin, shade] = pick(random, SKINS);
  const hair = pick(random, HAIRS);
  const cut = HAIRCUTS[figure.broad ? 'short' : pick(random, ['long', 'long', 'bob', 'bun'] as const)];
  const tilt = (random() - 0.5) * 10;
  const shoulder = figure.broad ? 172 : 138;
  return `
  <g transform="translate(${figure.x} 232) scale(${figure.scale})">
    <defs>
      <linearGradient id="skin${id}" x1="0" y1="0" x2="1" y2="1">
        <stop offset="0.35" stop-color="${skin}"/><stop offset="1" stop-color="${shade}"/></linearGradient>
      <linearGradient id="cloth${id}" x1="0" y1="0" x2="0.6" y2="1">
        <stop offset="0" stop-color="${palette.cloth[0]}"/><stop offset="1" stop-color="${palette.cloth[1]}"/>
      </linearGradient>
    </defs>
    <g transform="rotate(${tilt} 0 60)"><path d="${cut.back}" fill="${hair}"/></g>
    <path d="M-26 40 L26 40 L34 104 C24 138 -24 138 -34 104Z" fill="${shade}"/>
    <path d="M${-shoulder} 300 C${-shoulder} 148 -84 122 -36 104 C-20 128 20 128 36 104
      C84 122 ${shoulder} 148 ${shoulder} 300Z" fill="url(#cloth${id})"/>
    <g transform="rotate(${tilt} 0 60)">
      <ellipse cx="0" cy="-18" rx="60" ry="76" fill="url(#skin${id})"/>
      <path d="M-30 -26 q10 -8 20 0 M10 -26 q10 -8 20 0" stroke="${hair}" stroke-width="4" fill="none"
        stroke-linecap="round" opacity="0.8"/>
      <path d="M-25 -14 q6 5 12 0 M13 -14 q6 5 12 0" stroke="#231419" stroke-width="4" fill="none"
        stroke-linecap="round"/>
      <path d="M-2 -8 q-6 16 3 18" stroke="${shade}" stroke-width="3" fill="none" stroke-linecap="round"/>
      <path d="M-16 26 q16 13 32 0" stroke="#8d3345" stroke-width="5" fill="none" stroke-linecap="round"/>
      <path d="${cut.front}" fill="${hair}"/>
    </g>
  </g>`;
}

/**
 * The portrait as SVG text, 640 × 480. Two figures for couples (gender `c`).
 * @param scene changes the light and the clothes; 0 for the default
 */
function portraitSvg(seed: string, gender: 'f' | 'm' | 't' | 'c', scene: number): string {
  const random = seededRandom(seed);
  const usual = pick(random, PALETTES);
  const palette = PALETTES[(PALETTES.indexOf(usual) + scene * 3) % PALETTES.length] ?? usual;
  const lampX = 80 + random() * 480;
  const bokeh = Array.from({ length: 14 }, () => {
    const radius = 8 + random() * 34;
    return `<circle cx="${random() * WIDTH}" cy="${random() * 300}" r="${radius}" fill="${palette.glow}"
      opacity="${0.05 + random() * 0.13}"/>`;
  }).join('');
  const figures: Figure[] = gender === 'c'
    ? [{ x: 238, scale: 0.86, broad: random() > 0.5 }, { x: 410, scale: 0.92, broad: random() > 0.5 }]
    : [{ x: 290 + random() * 60, scale: 1.04 + random() * 0.14, broad: gender === 'm' }];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"
    viewBox="0 0 ${WIDTH} ${HEIGHT}">
  <defs>
    <linearGradient id="wall" x1="0" y1="0" x2="0.3" y2="1">
      <stop offset="0" stop-color="${palette.wall[0]}"/><stop offset="1" stop-color="${palette.wall[1]}"/>
    </linearGradient>
    <radialGradient id="lamp"><stop offset="0" stop-color="${palette.glow}" stop-opacity="0.75"/>
      <stop offset="1" stop-color="${palette.glow}" stop-opacity="0"/></radialGradient>
    <radialGradient id="vignette" cx="0.5" cy="0.45" r="0.75">
      <stop offset="0.55" stop-color="#000" stop-opacity="0"/>
      <stop offset="1" stop-color="#000" stop-opacity="0.6"/></radialGradient>
  </defs>
  <rect width="${WIDTH}" height="${HEIGHT}" fill="url(#wall)"/>
  <circle cx="${lampX}" cy="120" r="300" fill="url(#lamp)"/>
  ${bokeh}
  ${figures.map((figure, index) => drawFigure(random, palette, figure, String(index))).join('')}
  <rect width="${WIDTH}" height="${HEIGHT}" fill="url(#vignette)"/>
</svg>`;
}

/** The portrait as WebP bytes, 640 × 480, about 10 kB. */
export const portraitWebp = (seed: string, gender: 'f' | 'm' | 't' | 'c', scene = 0): Promise<Buffer> =>
  sharp(Buffer.from(portraitSvg(seed, gender, scene))).webp({ quality: WEBP_QUALITY }).toBuffer();
