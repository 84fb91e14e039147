"""What other programs rely on, frozen as files: messages, records, schedules, deals, folders."""
