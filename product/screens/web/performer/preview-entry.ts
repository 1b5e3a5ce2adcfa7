import { largeAvatar } from '#product/accounts/rules/avatar.ts';
import type { Me } from '#product/accounts/web/me.ts';
import type { ListingEntryView } from '#product/browse/contract.ts';
import { isNew } from '#product/browse/rules/listing/filters.ts';
import type { ListingProfileView } from '#product/performers/contract.ts';

/** The current values of the page's forms, saved or not. */
export interface ListingDraft extends ListingProfileView {
  readonly topic: string;
  readonly tags: readonly string[];
  readonly languages: readonly string[];
}

/** A live performer's entry as listings would have it; `now` in ms, null while it is unknown. */
export function previewEntry(
  { user }: Pick<Me, 'user'>,
  draft: ListingDraft,
  now: number | null,
): ListingEntryView {
  const isNewcomer = now !== null && user.created_at !== null && isNew(Date.parse(user.created_at), now);
  return {
    id: user.id ?? 0,
    username: user.username,
    displayName: user.display_name,
    gender: user.gender,
    status: 'online',
    subjectText: draft.topic,
    viewerCount: 0,
    languages: [...draft.languages],
    tagList: [...draft.tags],
    thumbUrl: largeAvatar(user.avatar_url),
    liveThumbUrl: null,
    isNew: isNewcomer,
    flagList: [
      ...(isNewcomer ? ['new'] : []),
      ...(draft.voyeur_room === null ? [] : ['voyeur']),
      ...(draft.offers_cam2cam ? ['cam2cam'] : []),
      ...(draft.control_rate === null ? [] : ['control']),
      ...(draft.is_independent ? ['independent'] : []),
    ],
    region: draft.region,
    country: draft.country,
    ageRange: draft.age_range,
    ethnicity: draft.ethnicity,
    voyeur: draft.voyeur_room,
    privatePrice: draft.private_price,
    spyPrice: draft.spy_price,
    rating: null,
    followers: 0,
    reasons: [],
    lastLiveAt: null,
  };
}
