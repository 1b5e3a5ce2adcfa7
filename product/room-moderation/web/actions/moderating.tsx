import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { CLEAR_OF_FOOT } from '#platform/ui/surfaces/clear-of-foot.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useCallback, useEffect, useState, type ReactNode } from 'react';
import { moderate, removeMessages } from '../../client.ts';
import type { ModerationAction } from '../../rules.ts';
import { useReloadModeration } from '../live.ts';
import { NEEDS_CONFIRMATION, UNDONE_BY } from './actions.ts';
import { offersOf, type ModerationContext, type Subject } from './offers.ts';

/** How long the undo button of an action is shown. */
const UNDO_MS = 10_000;

const ActionDialog = lazy(async () => ({ default: (await import('./action-dialog.tsx')).ActionDialog }));

interface SubjectAction {
  readonly subject: Subject;
  readonly action: ModerationAction;
}

/** What a moderator can do in one room. */
export interface Moderating {
  readonly offersFor: (subject: Subject) => readonly ModerationAction[];
  /** Opens a dialog first for bans, kicks and silences. */
  readonly act: (subject: Subject, action: ModerationAction) => void;
  /** Removes a message from the chat. */
  readonly remove: (id: number) => void;
  /** The dialog and the undo toast; render it anywhere on the page. */
  readonly surface: ReactNode;
}

/** @param room username of the performer */
export function useModerating(room: string, context: ModerationContext): Moderating {
  const { t } = useTranslation('room-moderation');
  const toast = useToast();
  const { run, problem } = useAction(moderate);
  const [asked, setAsked] = useState<SubjectAction | null>(null);
  const [done, setDone] = useState<SubjectAction | null>(null);
  const reload = useReloadModeration();
  const forget = useCallback(() => setDone(null), []);
  const now = useCallback(async (chosen: SubjectAction, isUndone: boolean) => {
    setDone(null);
    const { subject, action } = chosen;
    if (await run({ username: room, subject: subject.username, action }) === null) return;
    void reload();
    if (isUndone) toast(t('web.undone'), 'success');
    else setDone(chosen);
  }, [reload, room, run, t, toast]);
  const act = useCallback((subject: Subject, action: ModerationAction) => {
    if (NEEDS_CONFIRMATION.has(action)) setAsked({ subject, action });
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
  const offersFor = useCallback((subject: Subject) => offersOf(subject, context), [context]);
  const undo = done === null ? undefined : UNDONE_BY[done.action];
  const surface = (
    <>
      {asked === null ? null : (
        <Suspense>
          <ActionDialog
            room={room}
            {...asked}
            onClose={() => setAsked(null)}
            onDone={() => {
              setAsked(null);
              setDone(asked);
              void reload();
            }}
          />
        </Suspense>
      )}
      <UndoLine
        chosen={done}
        onGone={forget}
        onUndo={done === null || undo === undefined
          ? null
          : () => void now({ ...done, action: undo }, true)}
      />
    </>
  );
  return { offersFor, act, remove: (id) => void remove(id), surface };
}

/** A toast that confirms an action and offers to undo it. */
function UndoLine({ chosen, onUndo, onGone }: {
  chosen: SubjectAction | null;
  onUndo: (() => void) | null;
  onGone: () => void;
}) {
  const { t } = useTranslation('room-moderation');
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (chosen === null || isHeld) return undefined;
    const timer = setTimeout(onGone, UNDO_MS);
    return () => clearTimeout(timer);
  }, [chosen, isHeld, onGone]);
  return (
    <div
      role="status"
      className={`pointer-events-none fixed inset-x-0 bottom-20 z-50 flex justify-center px-4
        ${CLEAR_OF_FOOT}`}
    >
      {chosen === null
        ? null
        : (
          <div
            onPointerEnter={() => setHeld(true)}
            onPointerLeave={() => setHeld(false)}
            onFocus={() => setHeld(true)}
            onBlur={() => setHeld(false)}
            className="pointer-events-auto flex max-w-full items-center gap-3 rounded-card border border-l-4
            border-line border-l-online bg-raised px-4 py-1 text-sm shadow-float"
          >
            <span className="py-2">
              {t(`web.done.${chosen.action}`, { name: chosen.subject.displayName })}
            </span>
            {onUndo === null ? null : <Button tone="quiet" onClick={onUndo}>{t('web.undo')}</Button>}
          </div>
        )}
    </div>
  );
}
