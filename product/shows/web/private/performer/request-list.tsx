import { useAction, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntilEnd } from '#platform/ui/time/countdown.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { useEffect, useId, useRef } from 'react';
import { acceptPrivate, declinePrivate } from '../../../client.ts';
import type { PrivateRequestView } from '../../../contract/private-show.ts';
import { PERFORMER_CONSENT_VERSION } from '../../../rules/private.ts';
import { Clock, Cost } from '../amounts.tsx';
import { showAccepted, showWithout } from '../live.ts';

/** With Alt and Shift held, so that nobody answers a request while typing. */
const ACCEPT_KEY = 'A';
const DECLINE_KEY = 'D';

interface RequestListProps {
  /** Oldest first. */
  readonly requests: readonly PrivateRequestView[];
  /** Called when a request may be over: the list is read again. */
  readonly onOver: () => void;
}

/** Requests with their price, how long the viewer's tokens last, and the time left to respond. */
export function RequestList({ requests, onOver }: RequestListProps) {
  const { t } = useTranslation('shows');
  return (
    <>
      <ul aria-label={t('private.queue.title')} className="flex flex-col gap-3">
        {requests.map((request, at) => (
          <RequestLine
            key={`${request.username} ${request.requested_at}`}
            request={request}
            hasKeys={at === 0}
            onOver={onOver}
          />
        ))}
      </ul>
      <p className="hidden text-xs text-muted [@media(hover:hover)_and_(pointer:fine)]:block">
        {t('private.queue.keys', { accept: `Alt+Shift+${ACCEPT_KEY}`, decline: `Alt+Shift+${DECLINE_KEY}` })}
      </p>
    </>
  );
}

interface RequestLineProps extends Pick<RequestListProps, 'onOver'> {
  readonly request: PrivateRequestView;
  /** The shortcut keys act on the oldest request. */
  readonly hasKeys: boolean;
}

function RequestLine({ request, hasKeys, onOver }: RequestLineProps) {
  const { t } = useTranslation('shows');
  const cache = useCache();
  const { username } = request;
  const left = useSecondsUntilEnd(request.expires_at, onOver);
  const accept = useAction(acceptPrivate, showAccepted);
  const decline = useAction(declinePrivate);
  const isBusy = accept.busy || decline.busy;
  const take = async () => {
    // The performer accepts what is shown here, not what the request may have become since.
    const accepted = isBusy || await accept.run({
      username,
      recording_consent: request.recording,
      recording_consent_version: PERFORMER_CONSENT_VERSION,
    });
    if (accepted === null) onOver();
  };
  const refuse = async () => {
    if (isBusy) return;
    if (await decline.run({ username })) showWithout(cache, request);
    else onOver();
  };
  const line = useRef<HTMLLIElement>(null);
  const consentId = useId();
  const show = () => {
    const button = line.current?.querySelector<HTMLElement>(`[aria-describedby="${consentId}"]`);
    button?.scrollIntoView({ block: 'nearest' });
    button?.focus();
  };
  useKeys(hasKeys, {
    // Nobody accepts a recording unseen: the key only focuses the button, which states what accepting means.
    [`Key${ACCEPT_KEY}`]: () => (request.recording ? show() : void take()),
    [`Key${DECLINE_KEY}`]: () => void refuse(),
  });
  const keys = (key: string) => (hasKeys ? { 'aria-keyshortcuts': `Alt+Shift+${key}` } : {});
  return (
    <li ref={line} className="flex flex-col gap-2 rounded-card border border-line bg-raised p-3">
      <p className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="min-w-0 font-bold break-words">
          <PersonButton username={username} />
        </span>
        <span className="text-sm text-muted">
          {t('private.expires')} <Clock seconds={left} />
        </span>
      </p>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Cost tokens={request.cost_per_minute} perMinute />
        {request.pre_tip > 0
          ? (
            <span className="text-sm">
              {t('private.preTip')} <Cost tokens={request.pre_tip} />
            </span>
          )
          : null}
        {request.exclusive ? <Pill tone="private">{t('private.exclusive')}</Pill> : null}
        {request.recording ? <Pill>{t('private.queue.recording')}</Pill> : null}
      </p>
      {request.balance_band === null
        ? null
        : <p className="text-sm text-muted">{t(`private.band.${request.balance_band}`)}</p>}
      {request.recording
        ? <p id={consentId} className="text-sm text-muted">{t('private.queue.consent')}</p>
        : null}
      <FormError problem={accept.problem ?? decline.problem} />
      <div className="flex gap-3 *:grow">
        <Button
          tone="primary"
          busy={accept.busy}
          {...keys(ACCEPT_KEY)}
          aria-describedby={request.recording ? consentId : undefined}
          onClick={() => void take()}
        >
          {t('private.queue.accept')} <span className="sr-only">{username}</span>
        </Button>
        <Button busy={decline.busy} {...keys(DECLINE_KEY)} onClick={() => void refuse()}>
          {t('private.queue.decline')} <span className="sr-only">{username}</span>
        </Button>
      </div>
    </li>
  );
}

/** Handles shortcuts with Alt and Shift anywhere on the page, by physical key. */
function useKeys(isOn: boolean, actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (press: KeyboardEvent) => {
      if (!press.altKey || !press.shiftKey || press.ctrlKey || press.metaKey || press.repeat) return;
      const action = latest.current[press.code];
      if (!action) return;
      press.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
}
