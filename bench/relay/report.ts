import type { Counts } from './messages.ts';
import type { Outcome } from './trial.ts';
import { quantileMs } from './viewers/meter.ts';

const COLUMNS = [
  ['server', 20],
  ['viewers', 7],
  ['packets/CPU-s', 13],
  ['of a core', 9],
  ['viewers/core', 12],
  ['video lost', 15],
  ['audio lost', 15],
  ['asked again', 11],
  ['p50', 8],
  ['p99', 9],
] as const;

const line = (cells: readonly string[]): string =>
  `| ${
    cells.map((cell, i) => {
      const width = COLUMNS[i]?.[1] ?? 0;
      return i === 0 ? cell.padEnd(width) : cell.padStart(width);
    }).join(' | ')
  } |`;

/** The table's head. */
export const HEAD = [
  line(COLUMNS.map(([name]) => name)),
  `|${COLUMNS.map(([, width]) => '-'.repeat(width + 2)).join('|')}|`,
].join('\n');

function lost({ lost, packets }: Counts): string {
  return `${lost} (${((100 * lost) / Math.max(1, packets + lost)).toFixed(3)}%)`;
}

/** One trial's row. */
export function row(name: string, { joined, summary, cores, packetsPerCpuSecond }: Outcome): string {
  return line([
    name,
    String(joined),
    packetsPerCpuSecond.toFixed(0),
    `${(100 * cores).toFixed(0)}%`,
    String(Math.round(joined / Math.max(0.001, cores))),
    lost(summary.video),
    lost(summary.audio),
    String(summary.video.asked),
    `${quantileMs(summary, 0.5).toFixed(1)} ms`,
    `${quantileMs(summary, 0.99).toFixed(1)} ms`,
  ]);
}

/** The ratio of packets per processor second of two servers, round by round. */
export function ratioLine(
  what: string,
  ours: readonly Outcome[],
  theirs: readonly Outcome[],
  aim: number,
): string {
  const ratios = ours.map((item, round) =>
    item.packetsPerCpuSecond / (theirs[round]?.packetsPerCpuSecond ?? Number.NaN)
  ).toSorted((a, b) => a - b);
  const [least, most] = [ratios[0] ?? Number.NaN, ratios.at(-1) ?? Number.NaN];
  const median = (ratios[Math.floor((ratios.length - 1) / 2)]! + ratios[Math.floor(ratios.length / 2)]!) / 2;
  return `${what.padEnd(30)} ${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)}); aim ≥ ${aim}`;
}
