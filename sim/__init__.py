"""What a throw does: device, engine, rest, position, touch; batches of throws and their counts."""
