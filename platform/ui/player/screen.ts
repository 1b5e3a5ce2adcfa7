/** iPhones show videos full screen, and nothing else. */
type AppleVideo = HTMLVideoElement & { readonly webkitEnterFullscreen?: () => void };

/** Full screen with what stands around the video, where the browser can; else the video alone. */
export function toggleFullScreen(frame: HTMLElement | null, video: AppleVideo | null): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else if (frame?.requestFullscreen) void frame.requestFullscreen().catch(() => undefined);
  else video?.webkitEnterFullscreen?.();
}

export const hasPictureInPicture = (): boolean =>
  'pictureInPictureEnabled' in document && document.pictureInPictureEnabled;

/** Puts the picture into a window of its own, or back. Nothing happens where the browser refuses. */
export async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  try {
    if (document.pictureInPictureElement) await document.exitPictureInPicture();
    else await video?.requestPictureInPicture?.();
  } catch {
    // A video without a picture yet, or a browser that wants a press first.
  }
}
