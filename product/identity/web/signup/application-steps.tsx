import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Card, Pill, type PillTone } from '#platform/ui/surfaces/card.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { Me } from '#product/accounts/web/me.ts';
import { ChevronDown } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { getApplication, handInApplication } from '../../client.ts';
import type { ApplicationStepView, ApplicationView } from '../../contract.ts';
import type { Step, StepState } from '../../rules.ts';
import { showHandedIn } from '../live.ts';
import { DocumentStep } from './document-step.tsx';
import { AgreementStep, PayoutStep, ProfileStep, SelfieStep, TestStep } from './short-steps.tsx';
import { WhoStep } from './who-step.tsx';

const TONES: Readonly<Record<StepState, PillTone>> = {
  missing: 'quiet',
  given: 'online',
  accepted: 'online',
  rejected: 'danger',
};
const isReady = ({ state }: ApplicationStepView): boolean => state === 'given' || state === 'accepted';

/** Where a performer stands on the way to their first broadcast, and the steps that are left. */
export function ApplicationSteps({ me }: { readonly me: Me }) {
  const read = useRead(getApplication, {});
  return (
    <Loaded read={read} height="h-96">
      {(application) => (
        <div className="flex flex-col gap-6">
          <Status application={application} />
          {application.state === 'open' || application.state === 'rejected'
            ? <Steps application={application} me={me} />
            : null}
        </div>
      )}
    </Loaded>
  );
}

/** What the performer waits for, or does next. */
function Status({ application: { status, handed_in_at: at } }: { readonly application: ApplicationView }) {
  const { t } = useTranslation('identity');
  if (status === 'incomplete') return null;
  return (
    <div role="status">
      <Card className="flex flex-col items-start gap-3 p-4">
        <p className="font-bold">{t(`status.${status}.title`)}</p>
        <p className="text-sm text-muted">{t(`status.${status}.text`)}</p>
        {status === 'pending' && at !== null
          ? (
            <p className="text-sm text-muted">
              {t('status.sent')} <Moment at={at} />
            </p>
          )
          : null}
        {status === 'cleared'
          ? (
            <div className="flex flex-wrap gap-3">
              <ButtonLink to="/go-live" tone="primary">{t('status.goLive')}</ButtonLink>
              <ButtonLink to="/account/listing">{t('status.listing')}</ButtonLink>
            </div>
          )
          : null}
        {status === 'revoked' ? <ButtonLink to="/support">{t('status.support')}</ButtonLink> : null}
      </Card>
    </div>
  );
}

function Steps({ application, me }: { readonly application: ApplicationView; readonly me: Me }) {
  const { t } = useTranslation('identity');
  const { steps } = application;
  const [chosen, setChosen] = useState<Step | 'none' | null>(null);
  const done = steps.filter(isReady).length;
  // Without a choice of their own, the first step that is left is open, also when they come back.
  const open = chosen ?? steps.find((step) => !isReady(step))?.step ?? 'none';
  const label = t('page.progress', { done, count: steps.length });
  const list = useRef<HTMLOListElement>(null);
  const isMoving = useRef(false);
  // The form with the focus is gone, so the focus goes on to the step that opens.
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    list.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus();
  }, [open]);
  const goOn = () => {
    isMoving.current = true;
    setChosen(null);
  };
  return (
    <>
      <div className="flex flex-col gap-2">
        <p className="text-sm font-medium">{label}</p>
        <div className="h-2 overflow-hidden rounded-full bg-raised" aria-hidden>
          <div className="h-full bg-primary" style={{ width: `${(done / steps.length) * 100}%` }} />
        </div>
        <p className="text-sm text-muted">{t('page.privacy')}</p>
      </div>
      <ol ref={list} className="flex flex-col gap-3">
        {steps.map((step) => (
          <li key={step.step}>
            <StepCard
              view={step}
              isOpen={open === step.step}
              onToggle={() => setChosen(open === step.step ? 'none' : step.step)}
            >
              <StepForm step={step.step} application={application} me={me} onDone={goOn} />
            </StepCard>
          </li>
        ))}
      </ol>
      <HandIn isReady={done === steps.length} />
    </>
  );
}

function StepCard({ view, isOpen, onToggle, children }: {
  readonly view: ApplicationStepView;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('identity');
  const id = useId();
  const title = t(`steps.${view.step}.title`);
  return (
    <Card>
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={onToggle}
          className="flex min-h-14 w-full items-center gap-3 px-4 text-left font-bold"
        >
          <span className="grow">{title}</span>
          <span className="shrink-0 whitespace-nowrap">
            <Pill tone={TONES[view.state]}>{t(`page.states.${view.state}`)}</Pill>
          </span>
          <ChevronDown size={20} aria-hidden className={isOpen ? 'rotate-180' : ''} />
        </button>
      </h2>
      <div id={id} hidden={!isOpen} className="border-t border-line p-4">
        {isOpen
          ? (
            <div className="flex flex-col gap-4">
              {view.reason === null ? null : (
                <div className="flex flex-col gap-1 text-sm text-danger-text">
                  <p>{view.reason}</p>
                  {view.note === '' ? null : (
                    <p className="break-words">
                      <Typed>{view.note}</Typed>
                    </p>
                  )}
                </div>
              )}
              <p className="text-sm text-muted">{t(`steps.${view.step}.lead`)}</p>
              {children}
            </div>
          )
          : null}
      </div>
    </Card>
  );
}

interface StepFormProps {
  readonly step: Step;
  readonly application: ApplicationView;
  readonly me: Me;
  readonly onDone: () => void;
}

function StepForm({ step, application, me, onDone }: StepFormProps) {
  if (step === 'who') return <WhoStep onDone={onDone} />;
  if (step === 'document') return <DocumentStep application={application} onDone={onDone} />;
  if (step === 'selfie') return <SelfieStep onDone={onDone} />;
  if (step === 'agreement') return <AgreementStep path={application.agreement_path} onDone={onDone} />;
  if (step === 'payout') return <PayoutStep onDone={onDone} />;
  return step === 'profile' ? <ProfileStep me={me} onDone={onDone} /> : <TestStep onDone={onDone} />;
}

function HandIn({ isReady: ready }: { readonly isReady: boolean }) {
  const { t } = useTranslation('identity');
  const { run, busy, problem } = useAction(handInApplication, showHandedIn);
  return (
    <div className="flex flex-col gap-2">
      <FormError problem={problem} />
      <Button
        tone={ready ? 'primary' : 'secondary'}
        wide
        busy={busy}
        disabled={!ready}
        onClick={() => void run({})}
      >
        {t('page.send')}
      </Button>
      <p className="text-sm text-muted">{t(ready ? 'page.sendHint' : 'page.sendLater')}</p>
    </div>
  );
}
