console.log('ready');
