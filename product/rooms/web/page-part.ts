import type { ComponentType } from 'react';
import type { RoomDataView } from '../contract.ts';
import type { PartReducer } from '../rules/room-part.ts';
import type { RoomLink } from './live.ts';

export interface PagePartProps {
  readonly room: RoomDataView;
  readonly link: RoomLink;
  /** Offers tokens to a viewer who has too few. */
  readonly onTokensMissing: () => void;
}

/** What a slice adds to the room page. `product/screens/web/room/room-parts.ts` lists them. */
export interface RoomPagePart {
  /** Namespaces of its texts. */
  readonly texts: readonly string[];
  readonly reducer?: PartReducer;
  /** Subscribes to events that show a toast, a dialog, or nothing; in the performer console too. */
  readonly Events?: ComponentType<PagePartProps>;
  /** Below the line with the performer's name. */
  readonly Banner?: ComponentType<PagePartProps>;
  /** In the panel of what a viewer can do. */
  readonly Actions?: ComponentType<PagePartProps>;
  /** In the panel about the performer. */
  readonly About?: ComponentType<PagePartProps>;
}
