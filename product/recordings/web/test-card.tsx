import { useAction, useCallAddress } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { AdviceList, HealthFigures } from '#product/broadcast/web/publish/health-strip.tsx';
import { FlaskConical, Radio } from 'lucide-react';
import type { ReactNode } from 'react';
import { getTestClip, startTest } from '../client.ts';
import { TEST_RECORD_MS } from '../rules.ts';
import { Bar } from './bar.tsx';
import { useCancelTest, useTest, type TestView } from './live.ts';

interface TestCardProps {
  /** Whether this page or an encoder publishes. */
  readonly source: 'browser' | 'encoder';
  /** Whether the test can start: the page needs its camera first. */
  readonly canBegin: boolean;
  /** Called when the server waits for this page to publish. */
  readonly onWaiting: () => void;
  /** Called when this page should stop publishing. */
  readonly onOver: () => void;
  /** Ends the test and goes on air from this page; an encoder goes on air when the test ends. */
  readonly onGoLive: () => void;
}

/** Whether the test is running. */
const goesOn = (state: TestView['state']): boolean => state === 'waiting' || state === 'recording';

/** The pre-show test: records ten seconds over the real path, and shows the clip and its health. */
export function TestCard({ source, canBegin, onWaiting, onOver, onGoLive }: TestCardProps) {
  const { t } = useTranslation('recordings');
  const { test, reload } = useTest();
  const start = useAction(startTest);
  const { cancel, busy, problem } = useCancelTest();
  const begin = async () => {
    onOver();
    const begun = await start.run({});
    await reload();
    if (begun?.state === 'waiting') onWaiting();
  };
  const end = async () => {
    onOver();
    await cancel();
  };
  if (!test) return null;
  const again = (
    <Button
      busy={start.busy}
      disabled={!canBegin}
      icon={<FlaskConical size={20} aria-hidden />}
      onClick={() => void begin()}
    >
      {t(test.state === 'none' ? 'test.begin' : 'test.again')}
    </Button>
  );
  const isDiverted = test.isSending && test.source === 'encoder' && !goesOn(test.state);
  // A page can go on air from here; an encoder only while it sends.
  const canGoLive = source === 'browser' ? test.state === 'ready' : test.isSending;
  const live = canGoLive
    ? (
      <Button
        tone={source === 'browser' ? 'secondary' : 'primary'}
        busy={busy}
        disabled={source === 'browser' && !canBegin}
        icon={<Radio size={20} aria-hidden />}
        onClick={source === 'browser' ? onGoLive : () => void end()}
      >
        {t('test.goLive')}
      </Button>
    )
    : null;
  const stop = <Button busy={busy} onClick={() => void end()}>{t('test.cancel')}</Button>;
  const actions: Readonly<Record<TestView['state'], ReactNode>> = {
    none: <>{again}{live}</>,
    waiting: stop,
    recording: stop,
    ready: <>{again}{live}</>,
    failed: <>{again}{live}</>,
  };
  return (
    <section aria-labelledby="test-title" className="flex flex-col gap-4">
      <div>
        <h2 id="test-title" className="text-lg font-bold">{t('test.title')}</h2>
        <p className="pt-1 text-sm text-muted">{t('test.lead')}</p>
      </div>
      <div aria-live="polite" className="flex flex-col gap-4 empty:hidden">
        <Stage test={test} source={source} />
      </div>
      {isDiverted
        ? <p className="rounded-control border border-warning px-3 py-2 text-sm">{t('test.stillSending')}</p>
        : null}
      <FormError problem={start.problem ?? problem} />
      <div className="flex flex-wrap gap-3">{actions[test.state]}</div>
    </section>
  );
}

function Stage({ test, source }: { test: TestView; source: 'browser' | 'encoder' }) {
  const { t } = useTranslation('recordings');
  if (test.state === 'waiting') {
    return (
      <>
        <p className="text-sm">{t(test.isSending ? 'test.connecting' : `test.waiting.${source}`)}</p>
        {test.advice.length > 0 ? <AdviceList advice={test.advice} /> : null}
      </>
    );
  }
  if (test.state === 'recording') return <Progress seconds={test.seconds} />;
  if (test.state === 'failed') {
    return (
      <>
        <p className="text-sm text-warning-text">{t(`test.failed.${source}`)}</p>
        {source === 'encoder' && !test.isSending ? <p className="text-sm">{t('test.over')}</p> : null}
        {test.advice.length > 0 ? <AdviceList advice={test.advice} /> : null}
      </>
    );
  }
  return test.state === 'ready' ? <Result test={test} /> : null;
}

function Progress({ seconds }: { seconds: number }) {
  const { t } = useTranslation('recordings');
  const whole = TEST_RECORD_MS / 1_000;
  return (
    <div className="flex flex-col gap-2">
      <p className="tabular text-sm">{t('test.recording', { seconds, whole })}</p>
      <div
        role="progressbar"
        aria-label={t('test.title')}
        aria-valuemin={0}
        aria-valuemax={whole}
        aria-valuenow={seconds}
      >
        <Bar share={seconds / whole} colour="primary" />
      </div>
    </div>
  );
}

/** The clip and its health. */
function Result({ test }: { test: TestView }) {
  const { t } = useTranslation('recordings');
  const addressOf = useCallAddress();
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <video
        controls
        playsInline
        preload="auto"
        src={addressOf(getTestClip, {})}
        aria-label={t('test.clip')}
        className="aspect-video w-full rounded-card bg-black"
      />
      <div className="flex flex-col gap-4">
        {test.health ? <HealthFigures health={test.health} /> : null}
        <AdviceList advice={test.advice} />
      </div>
    </div>
  );
}
