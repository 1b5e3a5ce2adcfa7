import { queryOf, useAction, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { declareAge, getEntry } from '../client.ts';
import type { GateState } from '../rules.ts';
import { useGate } from './gate.ts';

/** Leaves the site; the browser's back button does not return here. */
const leave = (): void => location.replace('about:blank');

interface EntryGateProps {
  readonly gate: GateState;
  readonly minimumAge: number;
  /** Begins a check of the age, where the region requires one. A later slice has the checks. */
  readonly onVerify: () => void;
}

/**
 * Replaces every page until this browser may see performers. The address stays the requested one,
 * so that accepting, or a verified age, shows that page.
 */
export function EntryGate({ gate, minimumAge, onVerify }: EntryGateProps) {
  const { t } = useTranslation('compliance');
  const state = gate === 'open' ? 'declare' : gate;
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col gap-6 px-4 py-12 sm:py-20">
      <Title>{t('entry.title')}</Title>
      <p
        aria-hidden
        className="inline-flex size-16 items-center justify-center rounded-full border-2 border-pink text-lg
          font-bold"
      >
        {minimumAge}+
      </p>
      <Heading>{t(`entry.${state}.heading`, { age: minimumAge })}</Heading>
      <p className="text-muted">{t(`entry.${state}.text`, { age: minimumAge })}</p>
      <Notice />
      {state === 'declare' ? <Declare minimumAge={minimumAge} /> : (
        <Ways>
          {state === 'verify'
            ? (
              <Button tone="primary" aria-haspopup="dialog" onClick={onVerify}>
                {t('entry.verify.begin')}
              </Button>
            )
            : null}
        </Ways>
      )}
      <p className="text-sm text-muted">{t('entry.parents')}</p>
    </div>
  );
}

/** The words of the place's law, as its policy has them. */
function Notice() {
  const { notice } = useGate();
  if (notice === null) return null;
  return (
    <p className="rounded-md border border-line p-4 text-sm wrap-anywhere whitespace-pre-line">
      <Typed>{notice}</Typed>
    </p>
  );
}

function Declare({ minimumAge }: { minimumAge: number }) {
  const { t } = useTranslation('compliance');
  const { run, busy, problem } = useAction(declareAge);
  const call = useCall();
  const cache = useCache();
  const revalidator = useRevalidator();
  const accept = async () => {
    const done = await run({ of_age: true });
    if (!done) return;
    await cache.fetchQuery({ ...queryOf(call, getEntry, {}), staleTime: 0 });
    await revalidator.revalidate();
  };
  return (
    <div className="flex flex-col gap-4">
      <FormError problem={problem} />
      <Ways>
        <Button tone="primary" busy={busy} onClick={() => void accept()}>
          {t('entry.accept', { age: minimumAge })}
        </Button>
      </Ways>
    </div>
  );
}

/** The way in, where there is one, and the way out. */
function Ways({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('compliance');
  return (
    <>
      <div className="flex flex-col gap-3 sm:flex-row">
        {children}
        <Button onClick={leave}>{t('entry.leave')}</Button>
      </div>
      {children
        ? (
          <noscript>
            <p className="text-sm text-warning-text">{t('entry.noScript')}</p>
          </noscript>
        )
        : null}
    </>
  );
}
