import { useAction, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { GateState } from '#product/compliance/rules.ts';
import { Hourglass } from 'lucide-react';
import { cancelCheck } from '../client.ts';
import type { AgeCheckKind } from '../rules.ts';
import { MAX_POLLS, useResult } from './finishing.ts';
import { readStatusAgain } from './live.ts';

interface WaitingProps {
  readonly kind: AgeCheckKind;
  readonly onVerified: (gate: GateState) => void;
  readonly onFailed: (message: string) => void;
  /** Another way is wanted while support has not answered, which is not given up by it. */
  readonly onAnother: () => void;
}

/** A check under way: asks for its result, says so, and offers another way. */
export function Waiting({ kind, onVerified, onFailed, onAnother }: WaitingProps) {
  const { t } = useTranslation('age-checks');
  const cache = useCache();
  const cancel = useAction(cancelCheck);
  const isSupport = kind === 'support';
  // Support takes days, so that its answer is asked for once.
  const { isSlow, again } = useResult(isSupport ? 1 : MAX_POLLS, {
    onVerified,
    onFailed,
    onOver: () => void readStatusAgain(cache),
  });
  const another = async () => {
    if (isSupport) return onAnother();
    if (await cancel.run({})) await readStatusAgain(cache);
  };
  const name = t(`web.ways.${kind}.name`);
  const text = isSupport
    ? t('web.waiting.support')
    : t(isSlow ? 'web.waiting.slow' : 'web.waiting.text', { name });
  return (
    <div className="flex flex-col gap-4">
      <div role="status" aria-busy={!isSlow && !isSupport} className="flex items-start gap-3">
        <Hourglass size={20} aria-hidden className="mt-0.5 shrink-0 text-muted" />
        <p>{text}</p>
      </div>
      <FormError problem={cancel.problem} />
      <div className="flex flex-wrap gap-3 max-sm:*:grow">
        {isSlow ? <Button tone="primary" onClick={again}>{t('web.waiting.again')}</Button> : null}
        <Button busy={cancel.busy} onClick={() => void another()}>{t('web.waiting.another')}</Button>
      </div>
    </div>
  );
}
