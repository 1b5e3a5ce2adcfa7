import type { OutputOf } from '#platform/contract/call.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useMe, type Me } from '#product/accounts/web/me.ts';
import { getOwnBroadcast } from '#product/broadcast/client.ts';
import { DetailsForm } from '#product/broadcast/web/details-form.tsx';
import { Tile } from '#product/browse/web/tile.tsx';
import { getListingProfile, listPictures } from '#product/performers/client.ts';
import type { ListingProfileView } from '#product/performers/contract.ts';
import { BioForm } from '#product/performers/web/bio-form.tsx';
import { LanguagesForm } from '#product/performers/web/languages-form.tsx';
import { BlockedPlaces } from '#product/performers/web/places/blocked-places.tsx';
import { ViewAs } from '#product/performers/web/places/view-as.tsx';
import { PricesForm } from '#product/performers/web/prices-form.tsx';
import { ProfileForm } from '#product/performers/web/profile-form.tsx';
import { ScheduleForm } from '#product/performers/web/schedule-form.tsx';
import { lazy, Suspense, useEffect, useState } from 'react';
import { previewEntry, type ListingDraft } from './preview-entry.ts';

/** Loaded with the library for sortable lists. */
const PicturesForm = lazy(async () => ({
  default: (await import('#product/performers/web/pictures-form.tsx')).PicturesForm,
}));

const loadListing = routeData({
  texts: ['performers', 'broadcast', 'browse', 'accounts'],
  member: true,
  reads: () => [read(getListingProfile, {}), read(getOwnBroadcast, {}), read(listPictures, {})],
});
export { loadListing as clientLoader, loadListing as loader };

/** How a performer is listed: what listings say about them, when they are live, and who sees them. */
export default function ListingPage() {
  const { t } = useTranslation('performers');
  const me = useMe();
  const { data: profile } = useRead(getListingProfile, {});
  const { data: own } = useRead(getOwnBroadcast, {});
  if (!me || !profile || !own) return null;
  return (
    <Wide title={t('title')} lead={t('lead')}>
      <Listing me={me} profile={profile} own={own} />
    </Wide>
  );
}

interface ListingProps {
  readonly me: Me;
  readonly profile: ListingProfileView;
  readonly own: OutputOf<typeof getOwnBroadcast>;
}

function Listing({ me, profile, own }: ListingProps) {
  const { t } = useTranslation('performers');
  const [typed, setTyped] = useState<Partial<ListingDraft>>({});
  const onDraft = (some: Partial<ListingDraft>) => setTyped((now) => ({ ...now, ...some }));
  const onDetails = ({ title, tags }: Pick<ListingProps['own'], 'title' | 'tags'>) =>
    onDraft({ topic: title, tags });
  const draft = {
    ...profile,
    topic: own.title,
    tags: own.tags,
    languages: me.user.languages,
    ...typed,
  };
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_20rem] lg:items-start">
      <div className="flex flex-col gap-6 lg:sticky lg:top-20 lg:order-last">
        <Section title={t('preview.title')} lead={t('preview.text')} anchor="preview">
          <Preview me={me} draft={draft} />
        </Section>
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <Section title={t('tags.title')} lead={t('tags.lead')} anchor="tags">
          <DetailsForm title={own.title} tags={own.tags} onSaved={onDetails} onDraft={onDetails} />
        </Section>
        <Section title={t('languages.title')} lead={t('languages.lead')} anchor="languages">
          <LanguagesForm languages={me.user.languages} onDraft={(languages) => onDraft({ languages })} />
        </Section>
        <Section title={t('profile.title')} lead={t('profile.lead')} anchor="about">
          <ProfileForm profile={profile} onDraft={onDraft} />
        </Section>
        <Section title={t('bio.title')} lead={t('bio.lead')} anchor="bio">
          <BioForm about={me.user.about ?? ''} username={me.user.username} />
        </Section>
        <Section title={t('pictures.title')} lead={t('pictures.lead')} anchor="pictures">
          <Suspense fallback={<Skeleton className="h-24" />}>
            <PicturesForm />
          </Suspense>
        </Section>
        <Section title={t('prices.title')} lead={t('prices.lead')} anchor="prices">
          <PricesForm profile={profile} onDraft={onDraft} />
        </Section>
        <Section title={t('schedule.title')} lead={t('schedule.lead')} anchor="schedule">
          <ScheduleForm profile={profile} />
        </Section>
        <Section title={t('blocked.title')} lead={t('blocked.lead')} anchor="blocked">
          <BlockedPlaces />
        </Section>
        <Section title={t('viewAs.title')} lead={t('viewAs.lead')} anchor="view-as">
          <ViewAs />
        </Section>
      </div>
    </div>
  );
}

/** The tile of a live performer, as an image: a link would leave the page and lose what was typed. */
function Preview({ me, draft }: { me: Me; draft: ListingDraft }) {
  const { t, i18n } = useTranslation('performers');
  const clock = useServerClock();
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => setNow(clock.now()), [clock]);
  const entry = previewEntry(me, draft, now);
  const names = new Intl.DisplayNames(i18n.language, { type: 'language', fallback: 'code' });
  const said = [
    entry.displayName,
    entry.isNew ? t('browse:state.new') : '',
    entry.voyeur === null ? '' : t('browse:state.voyeur'),
    entry.subjectText,
    ...entry.tagList.map((tag) => `#${tag}`),
    entry.privatePrice === null ? '' : t('preview.price', {
      amount: entry.privatePrice,
      count: entry.privatePrice,
    }),
    ...entry.languages.map((code) => names.of(code) ?? code),
  ];
  return (
    <div
      role="img"
      aria-label={said.filter((part) => part !== '').join(', ')}
      className="mx-auto max-w-72"
    >
      <div inert>
        <Tile entry={entry} eager />
      </div>
    </div>
  );
}
