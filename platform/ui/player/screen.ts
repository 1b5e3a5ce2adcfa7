/** iPhones can show only videos full screen. */
type AppleVideo = HTMLVideoElement & { readonly webkitEnterFullscreen?: () => void };

/** Shows the video with its surroundings full screen, where the browser can; else the video alone. */
export function toggleFullScreen(frame: HTMLElement | null, video: AppleVideo | null): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else if (frame?.requestFullscreen) void frame.requestFullscreen().catch(() => undefined);
  else video?.webkitEnterFullscreen?.();
}

export const hasPictureInPicture = (): boolean =>
  'pictureInPictureEnabled' in document && document.pictureInPictureEnabled;

/** Moves the video into a window of its own, or back. Does nothing when the browser refuses. */
export async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  try {
    if (document.pictureInPictureElement) await document.exitPictureInPicture();
    else await video?.requestPictureInPicture?.();
  } catch {
    // The video has no frame yet, or the browser requires a click first.
  }
}
