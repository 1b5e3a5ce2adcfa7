/** A child program's line to the process that started it. */

/**
 * Handles the parent's requests, in order. When the parent is gone, or lets go of the child, the program
 * ends.
 *
 * @param leave what is to be finished first
 */
export function onParentMessage<Order>(
  obey: (order: Order) => void, leave: () => void = () => undefined,
): void {
  process.on('message', (order) => obey(order as Order));
  process.once('disconnect', () => {
    leave();
    // Not by running out of work: the finalizers of the media library would end it as a crash.
    process.exit(0);
  });
}

/** Says nothing once the parent is gone. */
export function sendToParent<News>(news: News): void {
  if (process.connected) process.send!(news, undefined, undefined, () => undefined);
}

/** Milliseconds since 1970 of a clock that never goes back. */
export const steadyMs = (): number => performance.timeOrigin + performance.now();
