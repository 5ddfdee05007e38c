// How long a picture has been looked at: from when it was shown, without the time that the page was in the background.

const newWatch = (before = { shown: 0, background: 0 }) => {
  let since = null, hiddenSince = null, { shown, background } = before;
  const now = () => performance.now();
  const settle = () => {
    const time = now();
    if (since !== null && hiddenSince === null)
      shown += time - since;
    if (hiddenSince !== null) {
      background += time - hiddenSince;
      hiddenSince = time;
    }
    if (since !== null)
      since = time;
  };
  const onChange = () => {
    settle();
    hiddenSince = document.hidden && since !== null ? now() : null;
  };
  document.addEventListener('visibilitychange', onChange);
  return {
    start: () => {
      since = now();
      hiddenSince = document.hidden ? since : null;
    },
    read: () => {
      settle();
      return { shown, background };
    },
    started: () => since !== null,
    end: () => document.removeEventListener('visibilitychange', onChange),
  };
};
