import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { queryKeyOf, useAction, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Coffee } from 'lucide-react';
import { getOwnBroadcast, setStandby, standbyVisitor } from '../client.ts';

/** Begins and ends standby; shows a toast for each member who enters the room meanwhile. */
export function StandbySwitch({ on, lobby }: { on: boolean; lobby: Connection | null }) {
  const { t } = useTranslation('broadcast');
  const cache = useCache();
  const toast = useToast();
  const standby = useAction(setStandby);
  useEvent(
    lobby,
    standbyVisitor,
    ({ username, display_name: name }) =>
      toast(t('standby.visitor', { name: name === username ? name : `${name} (@${username})` })),
  );
  const change = async () => {
    await standby.run({ on: !on });
    await cache.invalidateQueries({ queryKey: queryKeyOf(getOwnBroadcast) });
  };
  return (
    <section aria-labelledby="standby-title" className="flex flex-col gap-3">
      <h2 id="standby-title" className="text-lg font-bold">{t('standby.title')}</h2>
      <p className="text-sm text-muted" aria-live="polite">{on ? t('standby.on') : t('standby.text')}</p>
      <FormError problem={standby.problem} />
      <div>
        <Button
          icon={<Coffee size={20} aria-hidden />}
          busy={standby.busy}
          aria-pressed={on}
          onClick={() => void change()}
        >
          {on ? t('standby.end') : t('standby.begin')}
        </Button>
      </div>
    </section>
  );
}
