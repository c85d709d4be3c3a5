process.on('SIGTERM', () => {});
process.on('disconnect', () => {}); // its parent's end is no reason
setInterval(() => {}, 1000);
process.send?.('I run');
