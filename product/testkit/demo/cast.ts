import cast from '../cast.json' with { type: 'json' };
import type { GenderCode } from '../../accounts/rules.ts';

/** The people of the demo. All invented; their rooms are about talk, music, drawing and games. */
export interface CastPerformer {
  readonly username: string;
  readonly displayName: string;
  readonly gender: GenderCode;
  readonly languages: readonly string[];
  readonly tags: readonly string[];
  readonly topic: string;
  readonly about: string;
}

export const CAST = cast.performers as readonly CastPerformer[];

/** How many of the cast are live in the demo, each with their own loop. */
export const LIVE_CAST_COUNT = 16;

/** Viewers of the demo who chat and tip at a human pace. */
export const EXTRAS: readonly string[] = cast.extras;

/** What the extras say: short, friendly, about the room. */
export const EXTRA_LINES: readonly string[] = cast.lines;
