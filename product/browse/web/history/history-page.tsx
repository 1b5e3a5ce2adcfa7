import { problemOf, useAction } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { pageTools, read, readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { EmptyState, ErrorState, FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useConsent } from '#product/consent/web/consent.ts';
import { Eye, LogIn } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { clearViewHistory, getForYouLearned, getViewHistory, saveViewHistory } from '../../client.ts';
import type { HistoryEntryView } from '../../contract/history.ts';
import { Grid, GridSkeleton } from '../listing/grid.tsx';
import { LEARNED_ADDRESS } from './for-you.tsx';
import { LearnedSection } from './learned.tsx';
import { showHistoryOn, showNoHistory } from './live.ts';

const forMembers = routeData({
  texts: ['browse'],
  reads: () => [readPages(getViewHistory, {}), read(getForYouLearned, {})],
});
const forGuests = routeData({ texts: ['browse'] });

/** Guests have no history. */
const wanted = (
  given: Parameters<typeof forMembers>[0],
) => (given.context.get(pageTools).signedIn() ? forMembers(given) : forGuests(given));
export { wanted as clientLoader, wanted as loader };

/** The rooms a member entered, latest first. */
export default function HistoryPage() {
  const { t } = useTranslation('browse');
  const isMember = useMe() !== null;
  const { allowed, isChosen } = useConsent();
  return (
    <div className="mx-auto w-full max-w-[1800px] px-3 pb-8 sm:px-6">
      <Title>{t('history.title')}</Title>
      <div className="py-4">
        <Heading>{t('history.title')}</Heading>
        <p className="mt-1 text-sm text-muted">{t('history.lead')}</p>
      </div>
      {isMember && isChosen !== null && !allowed.preferences ? <NotAllowed /> : null}
      {isMember ? <Own /> : <LogInFirst />}
      {isMember
        ? (
          <div className="pt-8">
            <LearnedSection />
          </div>
        )
        : null}
    </div>
  );
}

/** Consent is missing, so nothing is added, whatever the switches below say. */
function NotAllowed() {
  const { t } = useTranslation('browse');
  return (
    <p role="note" className="mb-4 rounded-control bg-raised px-4 py-3 text-sm">
      {t('history.notAllowed')}{' '}
      <Link to="/cookies" className="text-link underline">{t('history.allow')}</Link>
    </p>
  );
}

function LogInFirst() {
  const { t } = useTranslation('browse');
  const next = `?next=${encodeURIComponent('/view-history')}`;
  return (
    <EmptyState
      icon={<LogIn size={28} aria-hidden />}
      text={t('history.logIn')}
      action={
        <div className="flex flex-wrap justify-center gap-3">
          <ButtonLink tone="primary" to={`/login${next}`}>{t('list.logInNow')}</ButtonLink>
          <ButtonLink to={`/register${next}`}>{t('list.signUp')}</ButtonLink>
        </div>
      }
    />
  );
}

function Own() {
  const { t } = useTranslation('browse');
  const read = useReadPages(getViewHistory, {});
  const { data, error, refetch } = read;
  if (!data) {
    if (!error) return <GridSkeleton />;
    return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  }
  const isOn = data.pages[0]?.is_on ?? true;
  const entries = data.pages.flatMap(({ userList }) => userList);
  const notes = new Map(entries.map((entry) => [entry.id, entry]));
  const isEmpty = entries.length === 0 && !read.hasNextPage;
  return (
    <>
      <Controls isOn={isOn} isEmpty={isEmpty} />
      {isEmpty
        ? (
          <EmptyState
            icon={<Eye size={28} aria-hidden />}
            text={t(isOn ? 'history.empty' : 'history.emptyOff')}
            action={<ButtonLink to="/">{t('emptyAction')}</ButtonLink>}
          />
        )
        : (
          <>
            <Grid
              entries={entries}
              eager
              below={({ id }) => {
                const entry = notes.get(id);
                return entry ? <Note entry={entry} /> : null;
              }}
            />
            <MorePages read={read} />
          </>
        )}
    </>
  );
}

/** When this viewer was there and for how long, and when an offline performer was last live. */
function Note({ entry: { seenAt, watchedSeconds, lastLiveAt } }: { entry: HistoryEntryView }) {
  const { t } = useTranslation('browse');
  const minutes = Math.floor(watchedSeconds / 60);
  return (
    <div className="px-1 pt-1 text-xs text-muted">
      <p>
        {t('history.seen')} <RelativeTime at={seenAt} />
        {minutes === 0 ? null : ` · ${t('history.watched', { minutes })}`}
      </p>
      {lastLiveAt === null ? null : (
        <p>
          {t('history.lastLive')} <RelativeTime at={lastLiveAt} />
        </p>
      )}
    </div>
  );
}

function Controls({ isOn, isEmpty }: { isOn: boolean; isEmpty: boolean }) {
  const { t } = useTranslation('browse');
  const save = useAction(saveViewHistory, showHistoryOn);
  const [asking, setAsking] = useState(false);
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1 pb-3">
      <Checkbox
        label={t('history.on')}
        checked={isOn}
        aria-busy={save.busy || undefined}
        onChange={({ target }) => {
          if (!save.busy) void save.run({ is_on: target.checked });
        }}
      />
      {isEmpty ? null : <Button onClick={() => setAsking(true)}>{t('history.clear')}</Button>}
      <Link to={LEARNED_ADDRESS} className="text-sm text-link underline">{t('forYou.learned')}</Link>
      <Link to="/account/hidden" className="text-sm text-link underline">{t('history.hidden')}</Link>
      <FormError problem={save.problem} />
      {asking ? <ClearDialog onClose={() => setAsking(false)} /> : null}
    </div>
  );
}

function ClearDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('browse');
  const toast = useToast();
  const clear = useAction(clearViewHistory, showNoHistory);
  const run = async () => {
    if (!(await clear.run({}))) return;
    toast(t('history.cleared'), 'success');
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('history.clearTitle')}
      accept={t('history.confirm')}
      reject={t('history.cancel')}
      tone="danger"
      busy={clear.busy}
      onAccept={() => void run()}
      onReject={onClose}
    >
      <p>{t('history.clearText')}</p>
      <FormError problem={clear.problem} />
    </ConfirmDialog>
  );
}
