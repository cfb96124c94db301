"""hookline.adapters: connects agent frameworks to an engine, one module for each framework."""
