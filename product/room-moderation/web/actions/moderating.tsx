import { lazy, Suspense, useCallback, useEffect, useState, type ReactNode } from 'react';
import { useAction } from '../../../../platform/ui/calls/calls.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { moderate, removeMessages } from '../../client.ts';
import type { ModerationAction } from '../../rules.ts';
import { ASKED, UNDONE_BY } from './actions.ts';
import { useDone } from '../live.ts';
import { offersOf, type RoomStandings, type Subject } from './offers.ts';

/** How long an action can be taken back at one press. */
const UNDO_MS = 10_000;

const ActionDialog = lazy(async () => ({ default: (await import('./action-dialog.tsx')).ActionDialog }));

interface Deed {
  readonly subject: Subject;
  readonly action: ModerationAction;
}

/** A moderator's hands in one room: what can be done to somebody, and doing it. */
export interface Moderating {
  readonly offersFor: (subject: Subject) => readonly ModerationAction[];
  /** Asks first where somebody is put out or silenced; answers when done, or dropped. */
  readonly act: (subject: Subject, action: ModerationAction) => void;
  /** Takes a message out of the chat. */
  readonly remove: (id: number) => void;
  /** Its dialog and its way back: to be shown anywhere on the page. */
  readonly surface: ReactNode;
}

/** @param room username of the performer */
export function useModerating(room: string, standings: RoomStandings): Moderating {
  const { t } = useTranslation('room-moderation');
  const toast = useToast();
  const { run, problem } = useAction(moderate);
  const [asked, setAsked] = useState<Deed | null>(null);
  const [done, setDone] = useState<Deed | null>(null);
  const reload = useDone();
  const forget = useCallback(() => setDone(null), []);
  const now = useCallback(async (deed: Deed, isUndone: boolean) => {
    setDone(null);
    const { subject, action } = deed;
    if (await run({ username: room, subject: subject.username, action }) === null) return;
    void reload();
    if (isUndone) toast(t('web.undone'), 'success');
    else setDone(deed);
  }, [reload, room, run, t, toast]);
  const act = useCallback((subject: Subject, action: ModerationAction) => {
    if (ASKED.has(action)) setAsked({ subject, action });
    else void now({ subject, action }, false);
  }, [now]);
  const removal = useAction(removeMessages);
  const { run: runRemoval } = removal;
  const remove = useCallback(async (id: number) => {
    if (await runRemoval({ username: room, ids: [id] })) toast(t('web.removed'), 'success');
  }, [room, runRemoval, t, toast]);
  const failed = problem ?? removal.problem;
  useEffect(() => {
    if (failed) toast(failed.message || t('web.failed'), 'error');
  }, [failed, t, toast]);
  const offersFor = useCallback((subject: Subject) => offersOf(subject, standings), [standings]);
  const undo = done === null ? undefined : UNDONE_BY[done.action];
  const surface = (
    <>
      {asked === null ? null : (
        <Suspense>
          <ActionDialog room={room} {...asked} onClose={() => setAsked(null)} onDone={() => {
            setAsked(null);
            setDone(asked);
            void reload();
          }} />
        </Suspense>
      )}
      <UndoLine deed={done} onGone={forget} onUndo={done === null || undo === undefined
        ? null : () => void now({ ...done, action: undo }, true)} />
    </>
  );
  return { offersFor, act, remove: (id) => void remove(id), surface };
}

/** Says what was done, and takes it back while it stands. */
function UndoLine({ deed, onUndo, onGone }: {
  deed: Deed | null; onUndo: (() => void) | null; onGone: () => void;
}) {
  const { t } = useTranslation('room-moderation');
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (deed === null || isHeld) return undefined;
    const timer = setTimeout(onGone, UNDO_MS);
    return () => clearTimeout(timer);
  }, [deed, isHeld, onGone]);
  return (
    <div role="status"
      className="pointer-events-none fixed inset-x-0 bottom-20 z-50 flex justify-center px-4">
      {deed === null ? null : (
        <div onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)} onBlur={() => setHeld(false)}
          className="pointer-events-auto flex max-w-full items-center gap-3 rounded-card border border-l-4
            border-line border-l-online bg-raised px-4 py-1 text-sm shadow-float">
          <span className="py-2">{t(`web.done.${deed.action}`, { name: deed.subject.displayName })}</span>
          {onUndo === null ? null : <Button tone="quiet" onClick={onUndo}>{t('web.undo')}</Button>}
        </div>
      )}
    </div>
  );
}
