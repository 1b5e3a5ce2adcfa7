import type { OutputOf } from '#platform/contract/call.ts';
import type { Problem } from '#platform/contract/client.ts';
import { keyOf } from '#platform/text/message-keys.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData, type RouteHandle } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { formatCount, RelativeTime } from '#platform/ui/text/amounts.tsx';
import { StaffBadge } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { addressElsewhere, SERVICES } from '#product/accounts/rules/current-user.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { ReportButton } from '#product/moderation/web/report-button.tsx';
import { CalendarDays, ExternalLink, Radio, UserRoundX } from 'lucide-react';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { isRouteErrorResponse, Link, useParams, useRouteError } from 'react-router';
import { getBio, getRoomWords } from '../../client.ts';
import { nameOf } from '../tile.tsx';
import { FollowButton } from '../tiles/tile-panel.tsx';
import { bioHead, bioMovedTo } from './bio-head.ts';
import { BioPictures } from './pictures.tsx';

type Bio = OutputOf<typeof getBio>;

/** The viewer's own note; loaded for members only. */
const OwnNote = lazy(() => import('#product/messaging/web/own-note.tsx'));

/** Refreshes as often as listings do, because readers of a bio wait for the performer to go live. */
const REFRESH_MS = 15_000;

export const handle: RouteHandle = { head: bioHead };
const nameIn = (params: { readonly username?: string }): string => normalizeUsername(params.username ?? '');
const load = routeData({
  texts: ['browse', 'performers', 'messaging', 'moderation'],
  reads: ({ params }) => [read(getBio, { username: nameIn(params) })],
  readsBeforeGate: ({ params }) => [read(getRoomWords, { username: nameIn(params) })],
  movedTo: bioMovedTo,
});
export { load as clientLoader, load as loader };

/** A performer's own text, prices, and planned times. */
export default function BioPage() {
  const username = nameIn(useParams());
  const { data, error, refetch } = useRead(getBio, { username }, { everyMs: REFRESH_MS });
  return (
    <div className="mx-auto w-full max-w-4xl px-3 py-6 sm:px-6">
      {data
        ? <BioOf bio={data} />
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : <Skeleton className="h-96" />}
    </div>
  );
}

function BioOf({ bio }: { bio: Bio }) {
  const { t } = useTranslation('browse');
  const { performer, about } = bio;
  const me = useMe();
  const name = performer.displayName;
  const isLive = performer.status !== 'offline';
  return (
    <article className="grid gap-6 sm:grid-cols-[14rem_minmax(0,1fr)] sm:items-start">
      <Title>{t('bio.title', { name })}</Title>
      <div className="flex flex-col gap-3">
        <Portrait performer={performer} />
        <ButtonLink
          to={`/${performer.username}`}
          wide
          tone={isLive ? 'primary' : 'secondary'}
          icon={<Radio size={18} aria-hidden />}
        >
          {t(isLive ? 'bio.watch' : 'bio.room')}
        </ButtonLink>
        {me?.user.username === performer.username
          ? <ButtonLink to="/account/listing" wide>{t('bio.edit')}</ButtonLink>
          : (
            <>
              <FollowButton entry={performer} />
              <ReportButton target={{ kind: 'bio', username: performer.username, name }} />
            </>
          )}
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <div>
          <Heading>
            <Typed>{name}</Typed>
          </Heading>
          <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-muted">
            <span>{bio.isStaff ? <StaffBadge /> : null}@{performer.username}</span>
            <State performer={performer} />
          </p>
        </div>
        <Part title={t('bio.about')}>
          <p className="break-words whitespace-pre-line">
            {about === '' ? t('bio.noAbout', { name }) : <Typed>{about}</Typed>}
          </p>
          <Tags tags={performer.tagList} />
        </Part>
        {bio.pictures.length === 0 ? null : (
          <Part title={t('bio.pictures')}>
            <BioPictures username={performer.username} name={name} pictures={bio.pictures} />
          </Part>
        )}
        <Elsewhere links={bio.socialMedia} />
        <Facts bio={bio} />
        <Prices bio={bio} />
        <Schedule bio={bio} />
        {me === null || me.user.username === performer.username ? null : (
          <div className="max-w-md">
            <Suspense fallback={<Skeleton className="h-32" />}>
              <OwnNote username={performer.username} name={name} />
            </Suspense>
          </div>
        )}
      </div>
    </article>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="flex flex-col gap-2">
    <h2 className="text-lg font-bold">{title}</h2>
    {children}
  </section>
);

/** A performer's pages on other sites. */
function Elsewhere({ links }: { links: Bio['socialMedia'] }) {
  const { t } = useTranslation('browse');
  const named = SERVICES.flatMap((service) => {
    const name = links[service];
    return name === null ? [] : [{ service, address: addressElsewhere(service, name) }];
  });
  if (named.length === 0) return null;
  return (
    <Part title={t('bio.elsewhere')}>
      <ul className="flex flex-wrap gap-2">
        {named.map(({ service, address }) => (
          <li key={service}>
            <a
              href={address}
              target="_blank"
              rel="noopener noreferrer nofollow ugc"
              className="inline-flex min-h-11 items-center gap-2 rounded-full border border-line px-4 text-sm
                hover:bg-raised"
            >
              <ExternalLink size={16} aria-hidden />
              {t(`bio.services.${service}`)}
            </a>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Portrait({ performer: { thumbUrl, displayName } }: Pick<Bio, 'performer'>) {
  const { t } = useTranslation('browse');
  const [isBroken, setIsBroken] = useState(false);
  return (
    <Card className="aspect-4/3 overflow-hidden">
      {thumbUrl !== null && !isBroken
        ? (
          <img
            src={thumbUrl}
            alt={t('bio.portrait', { name: displayName })}
            width={480}
            height={360}
            className="size-full object-cover"
            onError={() => setIsBroken(true)}
          />
        )
        : (
          <span
            aria-hidden
            className="flex size-full items-center justify-center text-4xl font-bold text-muted"
          >
            {displayName[0]?.toUpperCase()}
          </span>
        )}
    </Card>
  );
}

function State({ performer: { status, lastLiveAt } }: Pick<Bio, 'performer'>) {
  const { t } = useTranslation('browse');
  const state = status === 'offline' || status === 'standby' || status === 'reconnecting'
    ? status
    : status === 'limited'
    ? 'ticket'
    : status === 'private'
    ? 'private'
    : 'live';
  return (
    <>
      <Pill tone={state === 'live' ? 'live' : state === 'offline' ? 'quiet' : 'private'}>
        {t(`state.${state}`)}
      </Pill>
      {lastLiveAt === null ? null : (
        <span>
          {t('bio.lastLive')} <RelativeTime at={lastLiveAt} />
        </span>
      )}
    </>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  const { t } = useTranslation('browse');
  if (tags.length === 0) return null;
  return (
    <ul aria-label={t('bio.tags')} className="flex flex-wrap gap-2">
      {tags.map((tag) => (
        <li key={tag}>
          <Link
            to={`/search?q=${encodeURIComponent(tag)}`}
            className="inline-flex min-h-11 items-center rounded-full border border-line px-4 text-sm
              hover:bg-raised"
          >
            #{tag}
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface Row {
  readonly name: string;
  readonly value: ReactNode;
}

const Rows = ({ rows }: { rows: readonly Row[] }) => (
  <dl className="divide-y divide-line text-sm">
    {rows.map(({ name, value }) => (
      <div key={name} className="flex justify-between gap-4 py-2">
        <dt className="text-muted">{name}</dt>
        <dd className="text-right">{value}</dd>
      </div>
    ))}
  </dl>
);

/** A studio or role, linked to its other performers while one of them is live. */
function Alike({ kind, slug, peopled }: {
  kind: 'studio' | 'role';
  slug: string;
  peopled: readonly string[];
}) {
  const path = `/browse-${kind}/${slug}`;
  const name = slug.replaceAll('-', ' ');
  if (!peopled.includes(path)) return <span>{name}</span>;
  return <Link to={path} className="text-link hover:underline">{name}</Link>;
}

function Facts({ bio: { performer, isGroup, studio, roleList, peopledList: peopled } }: { bio: Bio }) {
  const { t, i18n } = useTranslation('browse');
  const { t: ofPerformers } = useTranslation('performers');
  const languages = new Intl.DisplayNames(i18n.language, { type: 'language', fallback: 'code' });
  const countries = new Intl.DisplayNames(i18n.language, { type: 'region', fallback: 'code' });
  const { region, country, ageRange } = performer;
  const rows: Row[] = [
    ...(performer.languages.length === 0 ? [] : [{
      name: t('bio.languages'),
      value: performer.languages.map((code) => nameOf(languages, code)).join(', '),
    }]),
    ...(region === null && country === null ? [] : [{
      name: t('bio.from'),
      value: [
        country === null ? '' : nameOf(countries, country),
        region === null ? '' : ofPerformers(keyOf('performers', 'regions', region)),
      ].filter((part) => part !== '').join(', '),
    }]),
    ...(ageRange === null ? [] : [{ name: t('bio.age'), value: ageRange.replace('-', '–') }]),
    ...(isGroup ? [{ name: t('bio.camera'), value: t('bio.group') }] : []),
    ...(studio === null ? [] : [{
      name: t('bio.studio'),
      value: <Alike kind="studio" slug={studio} peopled={peopled} />,
    }]),
    ...(roleList.length === 0 ? [] : [{
      name: t('bio.roles'),
      value: (
        <span className="inline-flex flex-wrap justify-end gap-x-3">
          {roleList.map((role) => <Alike key={role} kind="role" slug={role} peopled={peopled} />)}
        </span>
      ),
    }]),
  ];
  return rows.length === 0 ? null : (
    <Part title={t('bio.facts')}>
      <Rows rows={rows} />
    </Part>
  );
}

function Prices({ bio: { performer, exclusivePrice, offersCam2Cam } }: { bio: Bio }) {
  const { t, i18n } = useTranslation('browse');
  const offers = [
    ['private', performer.privatePrice],
    ['exclusive', exclusivePrice],
    ['spy', performer.spyPrice],
  ] as const;
  const rows: Row[] = offers.flatMap(([offer, tokens]) => (tokens === null ? [] : [{
    name: t(`bio.offers.${offer}`),
    value: t('tile.price', { amount: formatCount(tokens, i18n.language) }),
  }]));
  if (rows.length === 0 && !offersCam2Cam) return null;
  return (
    <Part title={t('bio.prices')}>
      <Rows rows={rows} />
      {offersCam2Cam ? <p className="text-sm text-muted">{t('bio.cam2cam')}</p> : null}
    </Part>
  );
}

/** The next times in the viewer's time zone, which servers do not know: UTC until the page runs. */
function Schedule({ bio: { performer, schedule, hasCalendar } }: { bio: Bio }) {
  const { t, i18n } = useTranslation('browse');
  const [isHere, setIsHere] = useState(false);
  useEffect(() => setIsHere(true), []);
  const format = new Intl.DateTimeFormat(i18n.language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    ...(isHere ? {} : { timeZone: 'UTC' }),
  });
  const zone = isHere ? format.resolvedOptions().timeZone.replaceAll('_', ' ') : 'UTC';
  if (schedule.length === 0) return null;
  return (
    <Part title={t('bio.schedule')}>
      <p className="text-sm text-muted">{t('bio.zone', { zone })}</p>
      <ul className="tabular text-sm">
        {schedule.map(({ startsAt, endsAt }) => (
          <li key={startsAt} className="py-1">
            {/* ICU on the server and in the browser may use different spaces. */}
            <time dateTime={startsAt} suppressHydrationWarning>
              {format.formatRange(new Date(startsAt), new Date(endsAt))}
            </time>
          </li>
        ))}
      </ul>
      {hasCalendar
        ? (
          <p>
            <a
              href={`/${performer.username}/schedule.ics`}
              className="inline-flex min-h-11 items-center gap-2 text-link hover:underline"
            >
              <CalendarDays size={18} aria-hidden />
              {t('bio.calendar')}
            </a>
          </p>
        )
        : null}
    </Part>
  );
}

/** Nobody has this name, or this viewer may not see the performer. */
export function ErrorBoundary() {
  const { t } = useTranslation('browse');
  const error = useRouteError();
  // Deleted for good: the root shows its page for that.
  if (!isRouteErrorResponse(error) || error.status === 410) throw error;
  if (error.status !== 404) {
    return <ErrorState problem={error.data as Problem} onRetry={() => globalThis.location.reload()} />;
  }
  return (
    <div className="mx-auto w-full max-w-4xl px-3 py-6 sm:px-6">
      <Title>{t('bio.missing.title')}</Title>
      <Heading>{t('bio.missing.title')}</Heading>
      <EmptyState
        icon={<UserRoundX size={28} aria-hidden />}
        text={t('bio.missing.text')}
        action={<ButtonLink to="/">{t('emptyAction')}</ButtonLink>}
      />
    </div>
  );
}
