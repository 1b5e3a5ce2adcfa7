import type { Clock } from '#platform/data/clock.ts';
import type { BFrameDelivery, IngestTrouble, LocalTicket } from '../../engine.ts';
import { FRAME, type LocalReady } from '../../local/frames.ts';
import { LocalLink } from '../../local/local-link.ts';
import {
  ATTACH_TIMEOUT_MS,
  MAX_CLOCK_DRIFT_MS,
  MAX_REATTACHMENTS,
  MAX_RETAINED_BYTES,
  MAX_RETAINED_PACKETS,
  REATTACH_WAITS_MS,
  REATTACH_WINDOW_MS,
  REPORT_PERIOD_MS,
} from '../limits.ts';
import type { SentPicture } from './tracks/picture-track.ts';
import { RtpTrack, type TimedPayload } from './tracks/rtp-track.ts';

export interface RelayFeedOptions {
  readonly clock: Clock;
  /** Asks for another ticket after session `lost` is gone; null when there is none now. */
  readonly readmit: (lost: string) => Promise<LocalTicket | null>;
  /** The relay requests a keyframe. */
  readonly keyframe: () => void;
  /** No relay will take it any more; the publisher gets the reason. */
  readonly gone: (reason: string) => void;
}

interface Attachment {
  readonly link: LocalLink;
  readonly ready: LocalReady;
  readonly session: string;
}

/**
 * Connects a publisher to its relay: numbers packets, reports times, and attaches to another relay when one
 * is lost. It then begins with the pictures since the last keyframe, so that nobody waits for the next.
 */
export class RelayFeed {
  readonly #options: RelayFeedOptions;
  readonly #video = new RtpTrack(90);
  readonly #audio = new RtpTrack(48);
  readonly #cancelReports: () => void;
  #attachment: Attachment | null = null;
  #session = '';
  #attaching = false;
  #closed = false;
  readonly #attachedAtMs: number[] = [];
  #trouble: IngestTrouble | null = null;
  #bFrames: BFrameDelivery | null = null;
  /** The running group of pictures; null when it is too long to retain. */
  #retained: SentPicture[] | null = null;
  #retainedBytes = 0;
  #retainedPackets = 0;
  /** Whether the relay has the keyframe that the next pictures refer to. */
  #isFollowed = false;
  /** When the media timeline began, in milliseconds since 1970. */
  #lineBeganMs: number | null = null;
  readonly #reported = { video: false, audio: false };

  constructor(options: RelayFeedOptions) {
    this.#options = options;
    this.#cancelReports = options.clock.every('sender reports', REPORT_PERIOD_MS, () => this.#reportBoth());
  }

  /** The session of the last ticket. */
  get session(): string {
    return this.#session;
  }

  /** Attaches with a ticket; false when the ticket is no longer valid. */
  attach(ticket: LocalTicket): Promise<boolean> {
    this.#session = ticket.session;
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after('attach', ATTACH_TIMEOUT_MS, () => link.close());
      const link: LocalLink = new LocalLink(ticket, {
        ready: (ready) => {
          cancel();
          if (this.#closed) return link.close();
          this.#begin({ link, ready, session: ticket.session });
          resolve(true);
        },
        media: () => undefined,
        keyframe: this.#options.keyframe,
        gone: () => {
          cancel();
          if (this.#attachment?.link === link) this.#attachment = null;
          resolve(false);
        },
      });
    });
  }

  /** A tag at `ms` of the timeline has just arrived. */
  mark(ms: number): void {
    const beganMs = this.#options.clock.now().getTime() - ms;
    const drifted = this.#lineBeganMs === null || Math.abs(beganMs - this.#lineBeganMs) > MAX_CLOCK_DRIFT_MS;
    if (drifted) this.#lineBeganMs = beganMs;
    if (!this.#attachment && !this.#attaching && !this.#closed) void this.#reattach();
  }

  picture(picture: SentPicture): void {
    this.#keep(picture);
    if (picture.keyframe) this.#isFollowed = true;
    if (this.#isFollowed && this.#attachment) this.#isFollowed = this.#sendPicture(this.#attachment, picture);
  }

  sound(payload: TimedPayload): void {
    const attachment = this.#attachment;
    if (!attachment) return;
    this.#reportFirst(attachment, 'audio');
    this.#audio.send(
      payload,
      attachment.ready.audioPayloadType,
      (packet) => attachment.link.send(FRAME.audio, packet),
    );
  }

  /** Reports what prevents it from being shown, also to later relays. */
  trouble(trouble: IngestTrouble | null): void {
    this.#trouble = trouble;
    this.#attachment?.link.reportTrouble(trouble);
  }

  /** Reports how its B-frames are sent, also to later relays. */
  bFrames(bFrames: BFrameDelivery | null): void {
    if (bFrames === this.#bFrames) return;
    this.#bFrames = bFrames;
    this.#attachment?.link.reportBFrames(bFrames);
  }

  /** Reports to the relay that the publisher stops on purpose, and closes; false when it has no relay. */
  finish(): boolean {
    const link = this.#attachment?.link;
    this.#attachment = null;
    link?.finish();
    this.close();
    return link !== undefined;
  }

  close(): void {
    this.#closed = true;
    this.#cancelReports();
    this.#retained = null;
    this.#attachment?.link.close();
    this.#attachment = null;
  }

  #begin(attachment: Attachment): void {
    this.#attachment = attachment;
    this.#attachedAtMs.push(performance.now());
    this.#reported.video = false;
    this.#reported.audio = false;
    if (this.#trouble) attachment.link.reportTrouble(this.#trouble);
    if (this.#bFrames) attachment.link.reportBFrames(this.#bFrames);
    const retained = this.#retained ?? [];
    this.#isFollowed = retained.length > 0 && retained.every(
      (picture) => this.#sendPicture(attachment, picture),
    );
  }

  /** False when the relay is behind: then it got only a part of the picture, or nothing. */
  #sendPicture(attachment: Attachment, { payloads }: SentPicture): boolean {
    this.#reportFirst(attachment, 'video');
    return payloads.every((payload) =>
      this.#video.send(
        payload,
        attachment.ready.videoPayloadType,
        (packet) => attachment.link.send(FRAME.video, packet),
      )
    );
  }

  #keep(picture: SentPicture): void {
    if (picture.keyframe) {
      this.#retained = [];
      this.#retainedBytes = 0;
      this.#retainedPackets = 0;
    }
    if (!this.#retained) return;
    this.#retained.push(picture);
    this.#retainedPackets += picture.payloads.length;
    this.#retainedBytes += picture.payloads.reduce((sum, { payload }) => sum + payload.length, 0);
    const isFull = this.#retainedBytes > MAX_RETAINED_BYTES || this.#retainedPackets > MAX_RETAINED_PACKETS;
    if (isFull) this.#retained = null;
  }

  async #reattach(): Promise<void> {
    this.#attaching = true;
    const { clock, readmit, gone } = this.#options;
    if (this.#attachments() > MAX_REATTACHMENTS) return gone('Somebody else publishes here.');
    const lost = this.#session;
    for (const waitMs of REATTACH_WAITS_MS) {
      const ticket = await readmit(lost);
      if (this.#closed) return;
      if (ticket && await this.attach(ticket)) {
        this.#attaching = false;
        return;
      }
      await new Promise<void>((resolve) => void clock.after('reattach', waitMs, resolve));
      if (this.#closed) return;
    }
    gone('The stream has ended.');
  }

  /** Number of attachments within the window that ends now. */
  #attachments(): number {
    const sinceMs = performance.now() - REATTACH_WINDOW_MS;
    while (this.#attachedAtMs[0] !== undefined && this.#attachedAtMs[0] < sinceMs) this.#attachedAtMs.shift();
    return this.#attachedAtMs.length;
  }

  /** Gives a viewer lip sync from the first packets on. */
  #reportFirst({ link }: Attachment, track: 'video' | 'audio'): void {
    if (this.#reported[track]) return;
    this.#reported[track] = true;
    this.#report(link, track);
  }

  #reportBoth(): void {
    const link = this.#attachment?.link;
    if (!link) return;
    for (const track of ['video', 'audio'] as const) if (this.#reported[track]) this.#report(link, track);
  }

  /** Ties both tracks to one wall clock through the common timeline. */
  #report(link: LocalLink, track: 'video' | 'audio'): void {
    if (this.#lineBeganMs === null) return;
    const wallMs = this.#options.clock.now().getTime();
    const [numbers, type] = track === 'video'
      ? [this.#video, FRAME.videoReport] as const
      : [this.#audio, FRAME.audioReport] as const;
    link.send(type, numbers.report(wallMs - this.#lineBeganMs, wallMs));
  }
}
