import type { Dice } from './dice.ts';

/** Bytes at which lengths, signs and types change meaning. */
const EDGES = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xbf, 0xc0, 0xc8, 0xc9, 0xcd, 0xce, 0xdf, 0xfe, 0xff];
const MOST_CHANGES = 4;
/** Longer inputs are refused by their size alone, which other tests show. */
const MOST_BYTES = 20_000;

/**
 * A changed copy of an input: bits flipped, bytes set to edge values, pieces left out, doubled or taken from
 * another input, ends cut off or extended. Sometimes the input is left unchanged, so that the states after a
 * valid one are reached.
 */
export function mutate(dice: Dice, input: Buffer, others: readonly Buffer[]): Buffer {
  let bytes: Buffer = Buffer.from(input);
  for (let changes = dice.below(MOST_CHANGES + 1); changes > 0; changes--) {
    bytes = changeOnce(dice, bytes, others);
  }
  return bytes.length > MOST_BYTES ? bytes.subarray(0, MOST_BYTES) : bytes;
}

function changeOnce(dice: Dice, bytes: Buffer, others: readonly Buffer[]): Buffer {
  if (bytes.length === 0) return Buffer.from(dice.pick(others));
  const at = dice.below(bytes.length);
  const length = 1 + dice.below(Math.min(40, bytes.length - at));
  switch (dice.below(7)) {
    case 0:
      bytes[at] = bytes[at]! ^ (1 << dice.below(8));
      return bytes;
    case 1:
      bytes[at] = dice.pick(EDGES);
      return bytes;
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), dice.pick(others).subarray(at)]);
    case 5:
      return bytes.subarray(0, at);
    default:
      return Buffer.concat([bytes, dice.pick(others)]);
  }
}

/** The same for text: lines are left out, doubled, moved, taken from other texts, or changed inside. */
export function mutateText(dice: Dice, input: string, others: readonly string[]): string {
  const lines = input.split('\r\n');
  for (let changes = dice.below(MOST_CHANGES); changes > 0; changes--) {
    const at = dice.below(lines.length);
    const other = dice.pick(dice.pick(others).split('\r\n'));
    switch (dice.below(5)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.splice(at, 0, other);
        break;
      case 2:
        lines[at] = other;
        break;
      case 3:
        lines.push(...lines.splice(at, 1));
        break;
      default: {
        const line = Buffer.from(lines[at] ?? '', 'latin1');
        lines[at] = mutate(dice, line, [Buffer.from(other, 'latin1')]).toString('latin1');
      }
    }
  }
  return lines.join('\r\n');
}
