import type { CallContext } from '#platform/contract/context.ts';
import type { Bus, Data } from '#platform/data/data.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { BroadcastService } from '#product/broadcast/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { ConsentService } from '#product/consent/server.ts';
import type { FanclubsService } from '#product/fanclubs/server.ts';
import type { MessagingService } from '#product/messaging/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { PerformersService } from '#product/performers/server.ts';
import type { RoomModerationService } from '#product/room-moderation/server.ts';
import type { RoomsService } from '#product/rooms/server.ts';
import type { ShowsService } from '#product/shows/server.ts';
import type { SiteService } from '#product/site/server.ts';
import type { TipsService } from '#product/tips/server.ts';
import type { ListingNames } from '../rules/listing/named-listings.ts';
import type { Directory, Sees } from './directory/directory.ts';

/** Dependencies given by the wiring. */
export interface BrowseDependencies {
  readonly data: Data;
  readonly bus: Bus;
  readonly site: SiteService;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly consent: ConsentService;
  readonly broadcast: BroadcastService;
  readonly performers: PerformersService;
  readonly rooms: RoomsService;
  readonly roomModeration: RoomModerationService;
  readonly fanclubs: FanclubsService;
  readonly tips: TipsService;
  readonly shows: ShowsService;
  readonly messaging: MessagingService;
  readonly notices: NoticesService;
  readonly text: TextOf;
  /** Whether toys can be controlled. Until then no list, filter, count or text mentions them. */
  readonly controlsToys?: boolean;
  readonly onError: (error: unknown) => void;
}

/** Performers whom a request may perceive, and those whom its person follows and hides. */
export interface BrowseViewer {
  /** The one rule of `compliance`, for this viewer. */
  readonly sees: Sees;
  /** Viewers of the same audience perceive the same performers. */
  readonly audience: string;
  readonly personId: number | null;
  /** Newest follow first. Empty for guests. */
  readonly followed: ReadonlySet<number>;
  readonly hidden: ReadonlySet<number>;
}

/** Shared by all parts of the slice. */
export interface Browsing extends BrowseDependencies {
  /** The complete directory of an operator; loaded at the first call. */
  readonly directoryOf: (operatorId: number) => Promise<Directory>;
  /** Two queries for a member (follows and hides, cached); none for a guest. */
  readonly viewerOf: (context: CallContext) => Promise<BrowseViewer>;
  /** Name of the site, cached for a minute. */
  readonly siteNameOf: (context: Pick<CallContext, 'scope'>) => Promise<string>;
  /** Names that the site gives some listings, cached as well. */
  readonly listingNamesOf: (context: Pick<CallContext, 'scope'>) => Promise<ListingNames>;
}
