import type { QualifiedKey } from '#platform/text/message-keys.ts';
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { RoomDataView } from '../contract.ts';
import type { ChatStatus, StreamStatus } from '../rules.ts';
import type { PartReducer } from '../rules/room-part.ts';
import type { RoomLink } from './live.ts';

/** Dialogs about money that a part may open: too few tokens, a post-pay card, the viewer's own limit. */
export type RoomMoneyPrompt = 'low_tokens' | 'postpay_card' | 'postpay_verify' | 'daily_low_limit';
/** `needed`: the price in tokens, for the dialog's suggestion; omitted when unknown. */
export type OpenMoneyPrompt = (prompt: RoomMoneyPrompt, needed?: number) => void;

export interface PagePartProps {
  readonly room: RoomDataView;
  readonly link: RoomLink;
  /** Over the video: usernames of people whom this viewer ignores. Empty elsewhere. */
  readonly ignored: ReadonlySet<string>;
  readonly onMoneyPrompt: OpenMoneyPrompt;
}

/** Shown in place of the video; `{{name}}` is the performer. */
export interface StreamCover {
  readonly Icon: LucideIcon;
  readonly title: QualifiedKey;
  readonly text: QualifiedKey;
  /** The part offers a way in over the video: the cover leaves its bottom free. */
  readonly hasOffer?: boolean;
}

/** What a slice adds to the room page. `product/screens/web/room/room-parts.tsx` lists them. */
export interface RoomPagePart {
  /** Namespaces of its texts. */
  readonly texts: readonly string[];
  readonly reducer?: PartReducer;
  /** Shown in place of the video while the stream status is one of these; a status has one owner. */
  readonly covers?: Readonly<Partial<Record<StreamStatus, StreamCover>>>;
  /** Shown beside the performer's name while the chat status is one of these; a status has one owner. */
  readonly badges?: Readonly<Partial<Record<ChatStatus, QualifiedKey>>>;
  /** Subscribes to events that show a toast, a dialog, or nothing; in the performer console too. */
  readonly Events?: ComponentType<PagePartProps>;
  /** Shown in the line with the performer's name. */
  readonly Bar?: ComponentType<PagePartProps>;
  /** Shown over the video, which stays visible around it. */
  readonly Over?: ComponentType<PagePartProps>;
  /**
   * Shown in the bar, above the actions: things that wait, run or cost. An element with `data-costs` costs
   * something, and the bar makes room for it.
   */
  readonly State?: ComponentType<PagePartProps>;
  /** Shown in the bar of actions: buttons that open panels and dialogs. */
  readonly Actions?: ComponentType<PagePartProps>;
  /** Shown below the bar of actions. */
  readonly Banner?: ComponentType<PagePartProps>;
  /** Shown under one line of the chat: an action on it. `of` is the id of its message; null for none. */
  readonly ChatLine?: {
    readonly of: (room: RoomDataView) => number | null;
    readonly Action: ComponentType<PagePartProps>;
  };
  /** Shown in the panel about the performer. */
  readonly About?: ComponentType<PagePartProps>;
}
