import { queryKeyOf, useAction, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { PopupDialog } from '#platform/ui/controls/popups/popup.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { follow, hidePerformer, listFollowed, unfollow } from '#product/messaging/client.ts';
import { showRelation } from '#product/messaging/web/live.ts';
import { EyeOff, Heart, HeartOff, UserRound } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { browseLive, browseMore } from '../../client.ts';
import type { ListingEntryView } from '../../contract.ts';
import { becauseText } from './because.tsx';

interface PanelProps {
  readonly entry: ListingEntryView;
  readonly onClose: () => void;
}

/** Actions on a performer from a tile. */
export function TilePanel({ button, ...panel }: PanelProps & {
  readonly button: RefObject<HTMLElement | null>;
}) {
  return (
    <PopupDialog
      label={panel.entry.displayName}
      button={button}
      placement="bottom end"
      onClose={panel.onClose}
      className="w-64 rounded-card border p-3 text-sm"
    >
      <Panel {...panel} />
    </PopupDialog>
  );
}

function Panel({ entry, onClose }: PanelProps) {
  const { t } = useTranslation('browse');
  const panel = useRef<HTMLDivElement>(null);
  // An opened popup takes the focus (ARIA APG "dialog").
  useEffect(() => {
    panel.current?.querySelector('button')?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={panel} className="flex flex-col gap-2">
      <p className="truncate font-bold">
        <Typed>{entry.displayName}</Typed>
      </p>
      <FollowButton entry={entry} />
      <HideButton entry={entry} onHidden={onClose} />
      <ButtonLink to={`/${entry.username}/bio`} wide icon={<UserRound size={18} aria-hidden />}>
        {t('tile.bio')}
      </ButtonLink>
      <WhyHere entry={entry} />
    </div>
  );
}

/** Follows or unfollows a performer; asks a guest to log in. */
export function FollowButton({ entry: { username, displayName } }: { readonly entry: ListingEntryView }) {
  const { t } = useTranslation('browse');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const say = useToast();
  const read = useRead(listFollowed, {}, { enabled: me !== null });
  const [changed, setChanged] = useState<boolean | null>(null);
  const isFollowing = changed ?? read.data?.performers.some((item) => item.username === username) ?? false;
  const begin = useAction(follow, showRelation);
  const end = useAction(unfollow, showRelation);
  const act = async () => {
    if (!me && !(await askLogin('follow'))) return;
    const done = await (isFollowing ? end : begin).run({ username });
    if (!done) return;
    setChanged(done.is_following);
    say(t(done.is_following ? 'tile.followed' : 'tile.unfollowed', { name: displayName }), 'success');
  };
  return (
    <>
      <ReadError read={read} />
      <FormError problem={begin.problem ?? end.problem} />
      <Button
        wide
        busy={begin.busy || end.busy}
        onClick={() => void act()}
        icon={isFollowing ? <HeartOff size={18} aria-hidden /> : <Heart size={18} aria-hidden />}
      >
        {t(isFollowing ? 'tile.unfollow' : 'tile.follow')}
      </Button>
    </>
  );
}

function HideButton({ entry: { username, displayName }, onHidden }: {
  readonly entry: ListingEntryView;
  readonly onHidden: () => void;
}) {
  const { t } = useTranslation('browse');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const cache = useCache();
  const say = useToast();
  const { run, busy, problem } = useAction(hidePerformer, showRelation);
  const act = async () => {
    if (!me && !(await askLogin('hide'))) return;
    if (!(await run({ username }))) return;
    say(t('tile.hidden', { name: displayName }), 'success');
    onHidden();
    // The hidden performer's tile is in these listings, so they reload.
    for (const call of [browseLive, browseMore]) void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
  };
  return (
    <>
      <FormError problem={problem} />
      <Button wide busy={busy} onClick={() => void act()} icon={<EyeOff size={18} aria-hidden />}>
        {t('tile.hide')}
      </Button>
    </>
  );
}

/**
 * The viewer's own choices and the weightiest parts of the published formula; nothing in orders that
 * explain themselves.
 */
function WhyHere({ entry: { reasons, because = [] } }: { entry: ListingEntryView }) {
  const { t } = useTranslation('browse');
  if (reasons.length === 0 && because.length === 0) return null;
  return (
    <details className="border-t border-line pt-2 text-muted">
      <summary className="min-h-11 cursor-pointer content-center">{t('why.title')}</summary>
      <ul className="list-disc pl-5">
        {because.map((item) => <li key={item.kind}>{becauseText(item, t)}</li>)}
        {reasons.map((reason) => <li key={reason}>{t(`why.${reason}`)}</li>)}
      </ul>
      <p className="pt-2 text-xs">{t('why.formula')}</p>
    </details>
  );
}
