import { useCallback, useEffect, useRef } from 'react';
import type { Sound } from '../../../rules.ts';
import { tierLevel } from '../../../rules/message-style.ts';

/** A note: half steps above the base tone, start and length in seconds. */
interface Note {
  readonly steps: number;
  readonly at: number;
  readonly seconds: number;
  readonly wave: OscillatorType;
}

const BASE_HERTZ = 660;
const NOTE_SECONDS = 0.14;
const LOUDEST = 0.4;
/** Shortest time between the starts of two sounds; sounds in between are dropped. */
const APART_SECONDS = 0.35;

const notes = (
  steps: readonly number[],
  every: number,
  seconds: number,
  wave: OscillatorType,
): readonly Note[] => steps.map((step, index) => ({ steps: step, at: index * every, seconds, wave }));

/** Chimes of tips: one note for the smallest tier, one more and higher with each tier. */
export const tipNotes = (tokens: number): readonly Note[] =>
  notes(
    Array.from({ length: tierLevel(tokens) + 1 }, (_, index) => index * 4),
    NOTE_SECONDS,
    NOTE_SECONDS * 2,
    'triangle',
  );

/** The sounds of rooms, synthesized: nothing is fetched. */
const SOUNDS: Readonly<Record<Sound, readonly Note[]>> = {
  airhorn: notes([-12, -12, -12], 0.16, 0.3, 'sawtooth'),
  applause: notes([30, 26, 31, 27, 29, 25, 30, 28], 0.05, 0.06, 'square'),
  bell: notes([12, 12], 0.4, 0.8, 'sine'),
  cheer: notes([0, 4, 7, 12, 16], 0.07, 0.4, 'triangle'),
  drumroll: notes([-36, -35, -36, -35, -36, -35, -36, -24], 0.07, 0.1, 'triangle'),
  fanfare: notes([-5, 0, 4, 7, 4, 7], 0.13, 0.3, 'sawtooth'),
  kiss: notes([19, 24], 0.08, 0.1, 'sine'),
  laugh: notes([7, 4, 7, 4, 2], 0.11, 0.12, 'triangle'),
  pop: notes([24], 0.1, 0.08, 'sine'),
  tada: notes([0, 7], 0.16, 0.6, 'triangle'),
  whistle: notes([22, 24, 26, 17], 0.12, 0.22, 'sine'),
};

export const notesOf = (sound: Sound): readonly Note[] => SOUNDS[sound];

/**
 * Plays notes, one sound at a time. Silent until the first click or key on the page, as browsers require. The
 * volume is in percent, 0 is silent.
 */
export function usePlay(): (sound: readonly Note[], volumePercent: number) => void {
  const context = useRef<AudioContext | null>(null);
  const freeAt = useRef(0);
  useEffect(() => () => void context.current?.close().catch(() => undefined), []);
  return useCallback((sound: readonly Note[], volumePercent: number) => {
    if (volumePercent <= 0 || sound.length === 0) return;
    if (!context.current || context.current.state === 'closed') context.current = new AudioContext();
    const audio = context.current;
    if (audio.state !== 'running') void audio.resume().catch(() => undefined);
    if (audio.currentTime < freeAt.current) return;
    freeAt.current = audio.currentTime + APART_SECONDS;
    for (const note of sound) sing(audio, note, (volumePercent / 100) * LOUDEST);
  }, []);
}

function sing(audio: AudioContext, { steps, at, seconds, wave }: Note, loudness: number): void {
  const start = audio.currentTime + at;
  const tone = audio.createOscillator();
  const gain = audio.createGain();
  tone.type = wave;
  tone.frequency.value = BASE_HERTZ * 2 ** (steps / 12);
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loudness, start + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  tone.connect(gain).connect(audio.destination);
  tone.start(start);
  tone.stop(start + seconds);
}
