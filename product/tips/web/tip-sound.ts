import { useCallback, useRef } from 'react';

/** Levels of the spec (2 §9): under 15, under 100, under 500, under 1000, 1000 and above. */
const LEVELS = [15, 100, 500, 1_000] as const;

/** Level of a tip, 0 to 4. */
export const tipLevel = (tokens: number): number => LEVELS.filter((limit) => tokens >= limit).length;

const BASE_HERTZ = 660;
const NOTE_SECONDS = 0.14;

/**
 * Plays a short chime for a tip: more notes, rising, for larger levels. Silent until the page was pressed
 * once.
 */
export function useTipSound(volumePercent: number): (tokens: number) => void {
  const context = useRef<AudioContext | null>(null);
  return useCallback((tokens: number) => {
    if (tokens <= 0 || volumePercent <= 0) return;
    context.current ??= new AudioContext();
    const audio = context.current;
    if (audio.state !== 'running') void audio.resume();
    for (let note = 0; note <= tipLevel(tokens); note += 1) {
      const at = audio.currentTime + note * NOTE_SECONDS;
      const tone = audio.createOscillator();
      const gain = audio.createGain();
      tone.type = 'triangle';
      tone.frequency.value = BASE_HERTZ * 2 ** ((note * 4) / 12);
      gain.gain.setValueAtTime(0, at);
      gain.gain.linearRampToValueAtTime((volumePercent / 100) * 0.4, at + 0.01);
      gain.gain.exponentialRampToValueAtTime(0.001, at + NOTE_SECONDS * 2);
      tone.connect(gain).connect(audio.destination);
      tone.start(at);
      tone.stop(at + NOTE_SECONDS * 2);
    }
  }, [volumePercent]);
}
