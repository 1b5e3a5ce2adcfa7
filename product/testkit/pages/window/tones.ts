import { onTestFinished, vi } from 'vitest';

const nothing = (): void => undefined;

/** A browser that plays sounds, until the end of the test: counts the tones that start. */
export function countsTones(): { readonly count: number } {
  let count = 0;
  const param = {
    value: 0,
    setValueAtTime: nothing,
    linearRampToValueAtTime: nothing,
    exponentialRampToValueAtTime: nothing,
  };
  const node = {
    connect: () => node,
    gain: param,
    frequency: param,
    stop: nothing,
    type: '',
    start: () => {
      count += 1;
    },
  };
  vi.stubGlobal(
    'AudioContext',
    class {
      readonly state = 'running';
      /** Sounds that start at the same moment as another are dropped, so here each has its own moment. */
      get currentTime(): number {
        return count * 10;
      }
      createOscillator = () => node;
      createGain = () => node;
      close = async () => undefined;
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    get count() {
      return count;
    },
  };
}
