import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { QualifiedKey } from '../../../platform/text/message-keys.ts';
import type { RoomDataView } from '../contract.ts';
import type { PartReducer } from '../rules/room-part.ts';
import type { ChatStatus, StreamStatus } from '../rules.ts';
import type { RoomLink } from './live.ts';

/** Dialogs about money that a part may open: too few tokens, a post-pay card, an own limit. */
export type RoomMoneyPrompt = 'low_tokens' | 'postpay_card' | 'postpay_verify' | 'daily_low_limit';

export interface PagePartProps {
  readonly room: RoomDataView;
  readonly link: RoomLink;
  readonly onMoneyPrompt: (prompt: RoomMoneyPrompt) => void;
}

/** Shown in place of the video; `{{name}}` is the performer. */
export interface StreamCover {
  readonly Icon: LucideIcon;
  readonly title: QualifiedKey;
  readonly text: QualifiedKey;
}

/** What a slice adds to the room page. `product/screens/web/room/room-parts.tsx` lists them. */
export interface RoomPagePart {
  /** Namespaces of its texts. */
  readonly texts: readonly string[];
  readonly reducer?: PartReducer;
  /** In place of the video while the stream status is one of these; a status has one owner. */
  readonly covers?: Readonly<Partial<Record<StreamStatus, StreamCover>>>;
  /** Beside the performer's name while the chat status is one of these; a status has one owner. */
  readonly badges?: Readonly<Partial<Record<ChatStatus, QualifiedKey>>>;
  /** Subscribes to events that show a toast, a dialog, or nothing; in the performer console too. */
  readonly Events?: ComponentType<PagePartProps>;
  /** In the line with the performer's name. */
  readonly Bar?: ComponentType<PagePartProps>;
  /** Below the line with the performer's name. */
  readonly Banner?: ComponentType<PagePartProps>;
  /** In the panel of what a viewer can do. */
  readonly Actions?: ComponentType<PagePartProps>;
  /** Right of the chat input, on a phone. */
  readonly BesideInput?: ComponentType<PagePartProps>;
  /** In the panel about the performer. */
  readonly About?: ComponentType<PagePartProps>;
}
