/** Ends this process with the one that started it, also when that ended before this was called. */
export function endWithParent(): void {
  if (!process.connected) process.exit();
  process.once('disconnect', () => process.exit());
}
