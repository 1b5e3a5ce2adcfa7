import { problemOf, useCache, useCall, useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe, useReloadMe } from '#product/accounts/web/me.ts';
import type { GateState } from '#product/compliance/rules.ts';
import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { getAgeVerification } from '../client.ts';
import type { AgeVerificationStatusView } from '../contract.ts';
import type { AgeCheckKind } from '../rules.ts';
import { variantOf, type Variant } from '../rules/variants.ts';
import { CARD_PATH, hasBegun, keepDestination } from './destination.ts';
import { useFailed, useFirstResult, useVerified } from './finishing.ts';
import { readStatusAgain } from './live.ts';
import { Picker } from './picker.tsx';
import { SupportForm } from './support-form.tsx';
import { Waiting } from './waiting.tsx';
import { beginnable, beginOn, type Way } from './ways.ts';

/** The modal of age verification, for a page that nobody may use without a proof. */
export default function VerificationDialog(props: DialogProps) {
  const isReady = useTexts('age-checks');
  return isReady ? <Verification {...props} /> : null;
}

interface DialogProps {
  readonly onClose: () => void;
  /** Shows the ways although support has yet to answer. */
  readonly isAnother?: boolean;
}

function Verification({ onClose, isAnother = false }: DialogProps) {
  const { t } = useTranslation('age-checks');
  const me = useMe();
  const status = useRead(getAgeVerification, {});
  const [isAsking, setAsking] = useState(false);
  const [wantsOther, setOther] = useState(isAnother);
  const variant = variantOf({
    isGuest: me === null,
    isCardRequired: me?.user.ageVerification.creditCardRequired ?? false,
    isPending: status.data?.pending != null && !(wantsOther && status.data.pending.kind === 'support'),
  });
  const parts = { onClose, onSupport: () => setAsking(true), onAnother: () => setOther(true) };
  return (
    <Dialog
      title={t(isAsking ? 'web.support.title' : `web.variants.${variant}.title`)}
      size="large"
      onClose={onClose}
    >
      <Loaded read={status} height="h-64">
        {(known) => (isAsking
          ? <Support onBack={() => setAsking(false)} />
          : <Body variant={variant} status={known} {...parts} />)}
      </Loaded>
    </Dialog>
  );
}

/** Asks support, then shows what is pending. */
function Support({ onBack }: { readonly onBack: () => void }) {
  const cache = useCache();
  const done = async () => {
    await readStatusAgain(cache);
    onBack();
  };
  return <SupportForm onBack={onBack} onDone={done} />;
}

/** Whether a result may be known: of a check in this tab, or of one elsewhere. */
function useMayHaveResult(): boolean {
  const methods = useMe()?.user.ageVerification.methods;
  const [wasHere] = useState(hasBegun);
  return wasHere || methods?.yoti === 'verified' || methods?.zendesk === 'verified';
}

interface BodyProps {
  readonly variant: Variant;
  readonly status: AgeVerificationStatusView;
  readonly onClose: () => void;
  readonly onSupport: () => void;
  readonly onAnother: () => void;
}

function Body({ variant, status, onClose, onSupport, onAnother }: BodyProps) {
  const { t } = useTranslation('age-checks');
  const cache = useCache();
  const failed = useFailed(onClose);
  const toast = useToast();
  const verified = useVerified();
  const { pending, minimum_age: age } = status;
  const onVerified = (gate: GateState) => {
    if (gate !== 'open') return void failed(t('web.notEnough'));
    toast(t('web.verified.title'), 'success');
    onClose();
    return void verified();
  };
  // What failed before the modal opened is said in it.
  const readAgain = () => readStatusAgain(cache);
  const reloadMe = useReloadMe();
  useFirstResult(useMayHaveResult() && status.gate === 'verify' && pending === null, {
    onVerified,
    onFailed: () => void reloadMe().then(readAgain),
    onOver: () => undefined,
  });
  if (status.gate !== 'verify') {
    return (
      <div className="flex flex-col items-start gap-4">
        <p>{t('web.nothingNeeded')}</p>
        <Button onClick={onClose}>{t('web.close')}</Button>
      </div>
    );
  }
  if (variant === 'pending' && pending) {
    return (
      <Waiting
        kind={pending.kind}
        onVerified={onVerified}
        onFailed={(message) => void failed(message)}
        onAnother={onAnother}
      />
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {status.has_failed_attempts
        ? (
          <p className="flex items-start gap-3 rounded-control border border-warning bg-raised px-3 py-2
            text-sm">
            <CircleAlert size={20} aria-hidden className="shrink-0 text-warning-text" />
            {t('web.failedBefore')}
          </p>
        )
        : null}
      <p className="text-muted">{t(`web.variants.${variant}.text`, { age })}</p>
      <Choice variant={variant} status={status} onClose={onClose} onSupport={onSupport} />
    </div>
  );
}

/** The ways on offer; guests may sign up first. */
function Choice(
  { variant, status, onClose, onSupport }: Omit<BodyProps, 'onAnother'>,
) {
  const { t } = useTranslation('age-checks');
  const isGuest = variant === 'signup';
  const ask = useLoginPrompt();
  const { busy, choose } = useChoosing({ isGuest, onClose, onSupport });
  const ways = beginnable(status.offered)
    .filter(({ kind }) => variant !== 'card' || kind === 'card')
    .filter(({ kind }) => kind !== 'support' || status.pending?.kind !== 'support');
  if (ways.length === 0) {
    return (
      <div className="flex flex-col items-start gap-4">
        <p>{t('web.noWay')}</p>
        <ButtonLink to="/support" onClick={onClose}>{t('web.contact')}</ButtonLink>
      </div>
    );
  }
  return (
    <>
      {isGuest
        ? (
          <>
            <div className="flex flex-wrap gap-3 max-sm:*:grow">
              <Button tone="primary" onClick={() => void ask('join')}>{t('web.signUp')}</Button>
              <Button onClick={() => void ask('plain')}>{t('web.logIn')}</Button>
            </div>
            <h3 className="text-base font-bold">{t('web.orNow')}</h3>
          </>
        )
        : null}
      <Picker ways={ways} isGuest={isGuest} busy={busy} onChoose={(way) => void choose(way)} />
      <p className="text-sm text-muted">{t('web.never')}</p>
    </>
  );
}

/** Begins a chosen way: on a provider's page, in the card form, or with support. */
function useChoosing({ isGuest, onClose, onSupport }: {
  readonly isGuest: boolean;
  readonly onClose: () => void;
  readonly onSupport: () => void;
}) {
  const call = useCall();
  const ask = useLoginPrompt();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const failed = useFailed(onClose);
  const [busy, setBusy] = useState<AgeCheckKind | null>(null);
  const choose = async ({ kind, needs_account: needsAccount }: Way): Promise<void> => {
    if (isGuest && needsAccount && !(await ask('join'))) return undefined;
    if (kind === 'support') return onSupport();
    keepDestination(pathname + search);
    setBusy(kind);
    if (kind === 'card') return void navigate(CARD_PATH);
    try {
      const page = await beginOn(call, kind);
      if (page) location.assign(page.url);
    } catch (error) {
      setBusy(null);
      await failed(problemOf(error).message);
    }
    return undefined;
  };
  return { busy, choose };
}
