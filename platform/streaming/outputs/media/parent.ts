/** Connects a child program to the process that started it. */

/**
 * Handles the parent's requests, in order. When the parent is gone, or disconnects, the program ends.
 *
 * @param leave work to finish before it exits
 */
export function onParentMessage<Order>(
  obey: (order: Order) => void,
  leave: () => void = () => undefined,
): void {
  process.on('message', (order) => obey(order as Order));
  process.once('disconnect', () => {
    leave();
    // Exits explicitly: on a normal end the finalizers of the media library would crash the process.
    process.exit(0);
  });
}

/** Sends nothing once the parent is gone. */
export function sendToParent<News>(news: News): void {
  if (process.connected) process.send!(news, undefined, undefined, () => undefined);
}

/** Milliseconds since 1970 of a clock that never goes back. */
export const steadyMs = (): number => performance.timeOrigin + performance.now();
