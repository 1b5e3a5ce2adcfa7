import { useSound, type Sound } from '#platform/ui/player/sound.ts';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, onTestFinished, test } from 'vitest';

/** A video element that records how it was asked to play. */
interface Playing {
  readonly video: HTMLVideoElement;
  /** Whether each attempt to play was muted. */
  readonly attempts: readonly boolean[];
  readonly sound: () => Sound;
}

afterEach(() => void Reflect.deleteProperty(navigator, 'userActivation'));

/** Plays a video on a page with or without an earlier click or key press. */
async function plays({ isPressed }: { readonly isPressed: boolean }): Promise<Playing> {
  Object.defineProperty(navigator, 'userActivation', {
    configurable: true,
    value: { hasBeenActive: isPressed, isActive: isPressed },
  });
  const video = document.createElement('video');
  const attempts: boolean[] = [];
  video.muted = true;
  video.play = async () => void attempts.push(video.muted);
  let sound: Sound | null = null;
  const Player = () => {
    sound = useSound(video, true);
    return null;
  };
  const host = document.createElement('div');
  document.body.append(host, video);
  const root = createRoot(host);
  onTestFinished(() => {
    root.unmount();
    host.remove();
    video.remove();
  });
  root.render(<Player />);
  await expect.poll(() => attempts.length).toBeGreaterThan(0);
  return { video, attempts, sound: () => sound as unknown as Sound };
}

test('a page that was opened by its address is silent until somebody presses something', async () => {
  const { video, attempts, sound } = await plays({ isPressed: false });
  await expect.poll(() => [video.muted, sound().muted, sound().blocked]).toEqual([true, true, true]);
  // Not even for a moment: Chromium pauses such a video, and prints a warning.
  expect(new Set(attempts)).toEqual(new Set([true]));
  Object.defineProperty(navigator, 'userActivation', {
    configurable: true,
    value: { hasBeenActive: true, isActive: true },
  });
  sound().unmute();
  await expect.poll(() => [video.muted, sound().muted, sound().blocked]).toEqual([false, false, false]);
});

test('a page on which somebody pressed something begins with sound', async () => {
  const { video, attempts, sound } = await plays({ isPressed: true });
  expect([video.muted, attempts.at(-1), sound().blocked]).toEqual([false, false, false]);
});
