import { queryOf, useAction, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useRevalidator } from 'react-router';
import { declareAge, getEntry } from '../client.ts';
import type { GateState } from '../rules.ts';
import { useGate } from './gate.ts';

/** Leaves the site; the browser's back button does not return here. */
const leave = (): void => location.replace('about:blank');

/**
 * Replaces every page until this browser may see performers. The address stays the requested one,
 * so that accepting shows that page.
 */
export function EntryGate({ gate, minimumAge }: { gate: GateState; minimumAge: number }) {
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
        <div>
          <Button onClick={leave}>{t('entry.leave')}</Button>
        </div>
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
      <div className="flex flex-col gap-3 sm:flex-row">
        <Button tone="primary" busy={busy} onClick={() => void accept()}>
          {t('entry.accept', { age: minimumAge })}
        </Button>
        <Button onClick={leave}>{t('entry.leave')}</Button>
      </div>
      <noscript>
        <p className="text-sm text-warning-text">{t('entry.noScript')}</p>
      </noscript>
    </div>
  );
}
