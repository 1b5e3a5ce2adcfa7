import type { PublisherView, TestPublisherOptions } from '../test-publisher.ts';
import type { ReaderView, TestReaderOptions } from '../test-reader.ts';

/** A request to the process of the peers. `peer` is a number the test chose. */
export type PeerCommand =
  | { readonly kind: 'publisher'; readonly peer: number; readonly options: TestPublisherOptions }
  | { readonly kind: 'reader'; readonly peer: number; readonly options: TestReaderOptions }
  | { readonly kind: 'accept'; readonly peer: number; readonly answer: string }
  /** Packets in base64. */
  | { readonly kind: 'raw'; readonly peer: number; readonly packets: readonly string[] }
  /** Packets of a publisher carry this generation from now on. */
  | { readonly kind: 'mark'; readonly peer: number; readonly generation: number }
  | { readonly kind: 'silence'; readonly peer: number }
  | { readonly kind: 'keyframe'; readonly peer: number }
  | { readonly kind: 'close'; readonly peer: number };

/** The offer of a new peer; nothing for other requests. */
export type PeerReply = string | null;

export type PeerMessage =
  | { readonly kind: 'reply'; readonly request: number; readonly reply: PeerReply }
  | { readonly kind: 'reader'; readonly peer: number; readonly view: ReaderView }
  | { readonly kind: 'publisher'; readonly peer: number; readonly view: PublisherView };
