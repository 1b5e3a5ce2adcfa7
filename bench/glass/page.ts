/** Bundled, and injected into each page before the page's own scripts. */
import Hls from 'hls.js';
import { ClockReader, drawClock } from './clock.ts';

/** Pictures a video showed. */
export interface Seen {
  /** Age of each picture in milliseconds when it was to be shown. */
  readonly agesMs: readonly number[];
  /** Pictures whose clock could not be read. */
  readonly unreadable: number;
  /** Why there is nothing to see; null while all is well. */
  readonly trouble: string | null;
}

const WIDTH = 640;
const HEIGHT = 360;
const FRAMES_PER_SECOND = 30;

/** A video track of a moving picture with a clock in it. */
function clockTrack(): MediaStreamTrack {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const drawing = canvas.getContext('2d');
  const draw = (): void => {
    if (!drawing) return;
    drawing.fillStyle = `hsl(${(performance.now() / 20) % 360} 60% 40%)`;
    drawing.fillRect(0, 0, WIDTH, HEIGHT);
    drawClock(drawing);
    requestAnimationFrame(draw);
  };
  draw();
  const [track] = canvas.captureStream(FRAMES_PER_SECOND).getVideoTracks();
  if (!track) throw new Error('a canvas gives no track');
  return track;
}

/** The instruments of one page. */
class Instruments {
  readonly #reader = new ClockReader();
  #agesMs: number[] = [];
  #unreadable = 0;
  #trouble: string | null = null;

  /** The camera shows the clock from now on; the microphone stays. */
  replaceCamera(): void {
    const devices = navigator.mediaDevices;
    const open = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async (constraints = {}) => {
      const media = constraints.audio ? await open({ audio: constraints.audio }) : new MediaStream();
      if (constraints.video) media.addTrack(clockTrack());
      return media;
    };
  }

  /** Notes the age of every picture of a video, until the page is closed. */
  watch(video: HTMLVideoElement): void {
    const look: VideoFrameRequestCallback = (_, { expectedDisplayTime }) => {
      const untilShownMs = Math.max(0, expectedDisplayTime - performance.now());
      const ageMs = this.#reader.ageMs(video);
      if (ageMs === null) this.#unreadable += 1;
      else this.#agesMs.push(ageMs + untilShownMs);
      video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
  }

  /** What was seen since the last call. */
  take(): Seen {
    const seen = { agesMs: this.#agesMs, unreadable: this.#unreadable, trouble: this.#trouble };
    this.#agesMs = [];
    this.#unreadable = 0;
    return seen;
  }

  /**
   * Two peers in this page, one showing the clock to the other in the codec the site prefers: what Chromium
   * itself needs.
   */
  async watchBare(): Promise<void> {
    const video = this.#newVideo();
    const [from, to] = [new RTCPeerConnection(), new RTCPeerConnection()];
    from.onicecandidate = ({ candidate }) => void (candidate && to.addIceCandidate(candidate));
    to.onicecandidate = ({ candidate }) => void (candidate && from.addIceCandidate(candidate));
    to.ontrack = ({ track }) => {
      video.srcObject = new MediaStream([track]);
    };
    const codecs = RTCRtpSender.getCapabilities('video')?.codecs ?? [];
    from.addTransceiver(clockTrack(), { direction: 'sendonly' })
      .setCodecPreferences(codecs.toSorted((a, b) => rank(a) - rank(b)));
    await from.setLocalDescription(await from.createOffer());
    await to.setRemoteDescription(from.localDescription as RTCSessionDescription);
    await to.setLocalDescription(await to.createAnswer());
    await from.setRemoteDescription(to.localDescription as RTCSessionDescription);
  }

  /** Plays HLS as hls.js does by itself. */
  watchHls(url: string): void {
    const hls = new Hls();
    hls.on(Hls.Events.ERROR, (_, { fatal, details }) => {
      if (fatal) this.#trouble = details;
    });
    hls.loadSource(url);
    hls.attachMedia(this.#newVideo());
  }

  #newVideo(): HTMLVideoElement {
    const video = document.createElement('video');
    video.muted = true;
    video.autoplay = true;
    video.playsInline = true;
    document.body.append(video);
    this.watch(video);
    return video;
  }
}

const rank = (codec: RTCRtpCodec): number => (codec.mimeType === 'video/H264' ? 0 : 1);

export type { Instruments };
Object.assign(globalThis, { instruments: new Instruments() });
