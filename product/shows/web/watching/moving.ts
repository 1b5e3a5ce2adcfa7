import { useEffect, useRef, useState } from 'react';

/**
 * Key presses within this time, or a key held down, make one move: otherwise each would be a call of its own.
 */
const MOVE_AFTER_MS = 300;

/**
 * Moves a video to the slider's position. One move is under way at a time, and the newest wins.
 * @param onMove takes a position in ms; settles when the move is done or refused
 * @returns the slider's position while it is moved, in ms; otherwise null
 */
export function useMoves(onMove: (positionMs: number) => Promise<void>): {
  readonly dragged: number | null;
  readonly drag: (toMs: number) => void;
  readonly drop: (toMs: number) => void;
} {
  const [dragged, setDragged] = useState<number | null>(null);
  const [dropped, setDropped] = useState<number | null>(null);
  const [isMoving, setMoving] = useState(false);
  const latest = useRef(onMove);
  latest.current = onMove;
  useEffect(() => {
    if (dropped === null || isMoving) return undefined;
    const move = async () => {
      setMoving(true);
      await latest.current(dropped);
      setMoving(false);
      // The slider may have been moved again.
      const unlessNewer = (known: number | null) => (known === dropped ? null : known);
      setDropped(unlessNewer);
      setDragged(unlessNewer);
    };
    const timer = setTimeout(() => void move(), MOVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [dropped, isMoving]);
  const drop = (toMs: number) => {
    setDragged(toMs);
    setDropped(toMs);
  };
  return { dragged, drag: setDragged, drop };
}
