/** Formats whole seconds as `1:02:03`, below an hour as `2:03`. */
export function clockText(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

const SIZES = [
  ['gigabyte', 1_000 ** 3],
  ['megabyte', 1_000 ** 2],
  ['kilobyte', 1_000],
] as const;

/** Formats bytes in the largest unit that fits: `1.2 GB`. */
export function sizeText(bytes: number, locale: string): string {
  const [unit, size] = SIZES.find(([, one]) => bytes >= one) ?? ['byte', 1];
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: bytes / size < 10 ? 1 : 0,
  }).format(bytes / size);
}
