import { useRead } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { GateState } from '#product/compliance/rules.ts';
import { BadgeCheck, CircleAlert } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { getAgeVerification } from '../client.ts';
import type { AgeVerificationStatusView } from '../contract.ts';
import { takeDestination } from './destination.ts';
import { useFailed, useFirstResult, useVerified } from './finishing.ts';
import { Waiting } from './waiting.tsx';

/** The state of a check is this browser's alone, so no document carries it: guests share documents. */
const wanted = { texts: ['age-checks'], always: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
/** Shown in front of the entry gate: providers return to it. */
export const handle = { always: true };

const VerificationDialog = lazy(() => import('./verification-dialog.tsx'));

/** /verify-age: begins a check of the age, waits for its result, and goes on to where the person was. */
export default function VerifyAgePage() {
  const { t } = useTranslation('age-checks');
  const status = useRead(getAgeVerification, {});
  return (
    <Narrow title={t('web.page.title')}>
      <Loaded read={status} height="h-40">{(known) => <Check status={known} />}</Loaded>
    </Narrow>
  );
}

type Result = 'verified' | 'failed';

function Check({ status }: { readonly status: AgeVerificationStatusView }) {
  const { t } = useTranslation('age-checks');
  const [result, setResult] = useState<Result | null>(null);
  const [wantsOther, setOther] = useState(false);
  const navigate = useNavigate();
  const verified = useVerified();
  const failed = useFailed(() => undefined);
  const onFailed = (message: string) => {
    setResult('failed');
    void failed(message);
  };
  const onVerified = async (gate: GateState) => {
    if (gate !== 'open') return onFailed(t('web.notEnough'));
    const destination = takeDestination();
    setResult('verified');
    await verified();
    return destination === null ? undefined : navigate(destination, { replace: true });
  };
  const results = { onVerified: (gate: GateState) => void onVerified(gate), onFailed };
  const isPending = status.pending !== null && result === null
    && !(wantsOther && status.pending.kind === 'support');
  const isKnown = useFirstResult(status.has_result && !isPending && result === null, {
    ...results,
    onOver: () => undefined,
  });
  if (result === 'verified' || status.gate === 'open') return <Open isNew={result !== null} />;
  if (status.gate !== 'verify') return <NoCheck gate={status.gate} />;
  if (status.pending && isPending) {
    return <Waiting kind={status.pending.kind} {...results} onAnother={() => setOther(true)} />;
  }
  if (status.has_result && !isKnown && result === null) {
    return (
      <div aria-busy>
        <Skeleton className="h-40" />
      </div>
    );
  }
  return (
    <Begin
      status={status}
      hasFailed={result !== null}
      isAnother={wantsOther}
      onBegin={() => setResult(null)}
    />
  );
}

/** A region where nobody verifies their age. */
function NoCheck({ gate }: { readonly gate: 'declare' | 'blocked' }) {
  const { t } = useTranslation('age-checks');
  const isBlocked = gate === 'blocked';
  return (
    <div className="flex flex-col items-start gap-4">
      <p>{t(`web.page.${gate}`)}</p>
      <ButtonLink to={isBlocked ? '/support' : '/'}>
        {t(isBlocked ? 'web.contact' : 'web.page.goOn')}
      </ButtonLink>
    </div>
  );
}

/** Nothing more is needed. */
function Open({ isNew }: { readonly isNew: boolean }) {
  const { t } = useTranslation('age-checks');
  return (
    <div role="status" className="flex flex-col items-start gap-4">
      <p className="flex items-start gap-3">
        <BadgeCheck size={20} aria-hidden className="mt-0.5 shrink-0 text-success-text" />
        {t(isNew ? 'web.verified.text' : 'web.nothingNeeded')}
      </p>
      <ButtonLink to="/" tone="primary">{t('web.page.goOn')}</ButtonLink>
    </div>
  );
}

/** Opens the modal in which a way is chosen. */
function Begin({ status, hasFailed, isAnother, onBegin }: {
  readonly status: AgeVerificationStatusView;
  readonly hasFailed: boolean;
  readonly isAnother: boolean;
  readonly onBegin: () => void;
}) {
  const { t } = useTranslation('age-checks');
  const [isOpen, setOpen] = useState(false);
  const hasNotice = hasFailed || status.has_failed_attempts;
  return (
    <div className="flex flex-col items-start gap-4">
      {hasNotice
        ? (
          <p className="flex items-start gap-3">
            <CircleAlert size={20} aria-hidden className="mt-0.5 shrink-0 text-warning-text" />
            {t('web.failedBefore')}
          </p>
        )
        : null}
      <p className="text-muted">{t('web.page.text', { age: status.minimum_age })}</p>
      <Button
        tone="primary"
        aria-haspopup="dialog"
        onClick={() => {
          onBegin();
          setOpen(true);
        }}
      >
        {t('web.page.begin')}
      </Button>
      {isOpen
        ? (
          <Suspense fallback={null}>
            <VerificationDialog onClose={() => setOpen(false)} isAnother={isAnother} />
          </Suspense>
        )
        : null}
    </div>
  );
}
