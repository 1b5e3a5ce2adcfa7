import type { Theme } from '#platform/ui/surfaces/theme.ts';
import { DEFAULT_SETTINGS } from '#product/accounts/rules/settings.ts';

/** Background of messages, by theme: `--surface` of the design. */
const SURFACES: Readonly<Record<Theme, string>> = { dark: '#17131d', light: '#ffffff' };
/** WCAG 2.2 requires 4.5; lines that address their reader have a slightly tinted surface. */
const CONTRAST = 5.5;
/** Number of steps in which a colour is moved towards white or black. */
const STEPS = 20;

type Rgb = readonly [number, number, number];

const rgbOf = (hex: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
const hexOf = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance (WCAG 2.2). */
function luminanceOf(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, `#rrggbb`, from 1 to 21. */
function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminanceOf(rgbOf(one)), luminanceOf(rgbOf(other))].toSorted((a, b) => b - a) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

/**
 * The chosen colour of messages, made as much lighter or darker as a theme needs for readable text. Null for
 * the usual colour, which is that of the page's text.
 */
export function chatColor(chosen: string, theme: Theme): string | null {
  if (chosen.toLowerCase() === DEFAULT_SETTINGS.text_color) return null;
  const goal = theme === 'dark' ? 255 : 0;
  const from = rgbOf(chosen);
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = hexOf(from.map((part) => part + ((goal - part) * step) / STEPS) as unknown as Rgb);
    if (contrastOf(mixed, SURFACES[theme]) >= CONTRAST) return mixed;
  }
  return null;
}
